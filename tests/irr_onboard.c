/*
 * irr_onboard.c - see irr_onboard.h.
 */
#include "irr_onboard.h"

#include "irr_test.h"

#include <errno.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static int blind = -1;

void irr_onboard_blind(int rank)
{
    blind = rank;
}

/* Comes before that of the C library. */
ssize_t process_vm_readv(pid_t process, const struct iovec *to, unsigned long tos, const struct iovec *from,
                         unsigned long froms, unsigned long flags)
{
    if (irr_crew_self() == blind) {
        errno = EPERM;
        return -1;
    }
    return syscall(SYS_process_vm_readv, process, to, tos, from, froms, flags);
}

int irr_onboard_node(int layout, int rank)
{
    const int nodes[IRR_ONBOARD_LAYOUTS] = { 0, rank % 2, rank * rank % 5, rank / 2, rank };

    return nodes[layout];
}

void irr_onboard_open(irr_onboard_t *scene, const char *name, int layout, size_t block, size_t bytes)
{
    const int algorithm = irr_algorithm_find(name);

    scene->state = irr_test_seed();
    irr_world_open(&scene->world, IRR_ONBOARD_RANKS, irr_test_random(&scene->state), 100);
    irr_team_init(&scene->team, &scene->world, 0, 1);
    for (int r = 0; r < IRR_ONBOARD_RANKS; r++) {
        scene->team.params[r].settings = (irr_settings_t){
            .algorithm = algorithm, .board_block = block, .board_bytes = bytes };
        scene->team.params[r].node = irr_onboard_node(layout, r);
    }
}

void irr_onboard_close(irr_onboard_t *scene)
{
    irr_team_destroy(&scene->team);
    for (int r = 0; r < IRR_ONBOARD_RANKS; r++) {
        const irr_boards_t *boards = &scene->world.engines[r]->boards;

        CU_ASSERT(boards->freed != NULL || boards->segment.taken == 0);
        CU_ASSERT_EQUAL(boards->waiting, 0);
    }
    CU_ASSERT_TRUE(irr_world_close(&scene->world));
}

void irr_onboard_exchange(int rank, void *context)
{
    irr_onboard_t *scene = context;

    scene->results[rank] = irr_team_exchange(&scene->team, scene->job);
}

void irr_onboard_expect(irr_onboard_t *scene, int truncated)
{
    irr_job_fill(scene->job);
    CU_ASSERT_TRUE(irr_crew_run(IRR_ONBOARD_RANKS, irr_onboard_exchange, scene));
    for (int r = 0; r < IRR_ONBOARD_RANKS; r++) {
        CU_ASSERT_EQUAL(scene->results[r], r == truncated ? IRR_ERR_TRUNCATE : IRR_OK);
        CU_ASSERT_TRUE(irr_job_verify(scene->job, r));
    }
}

void irr_onboard_expect_kind(irr_onboard_t *scene, irr_job_kind_t kind, int times)
{
    scene->job = irr_job_create(IRR_ONBOARD_RANKS, kind, irr_test_random(&scene->state));
    for (int i = 0; i < times; i++) {
        irr_onboard_expect(scene, -1);
    }
    irr_job_destroy(scene->job);
}

/*
 * irr_mails.c - see irr_mails.h.
 */
#include "irr_mails.h"

#include "irr_test.h"

#include "problem/blocks.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK_MAX 250   /* of cells */
#define ID        5

irr_mails_t irr_mails;

/* ---- the ranks ---- */

/* Nodes of any sizes, of ranks that are not neighbours; at least two. */
static int node_of(int layout, int ranks, int rank)
{
    switch (layout) {
    case 0:  return rank % 2;
    case 1:  return rank / 3;
    case 2:  return rank == 2 ? 0 : 1;
    case 3:  return rank * rank % 5;
    default: return rank < ranks / 2 ? 0 : rank;
    }
}

static irr_mails_rank_t *member_of(int rank, int member)
{
    const irr_nodes_t *nodes = &irr_mails.nodes;

    return &irr_mails.rank[nodes->members[nodes->first[nodes->node[rank]] + member]];
}

static void init_rank(int r)
{
    const irr_nodes_t *nodes = &irr_mails.nodes;
    irr_mails_rank_t *rank = &irr_mails.rank[r];

    irr_test_must(irr_segment_init(&rank->segment, IRR_BOARD_TABLE, SEGMENT));
    irr_test_must(irr_board_init(&rank->board, &rank->segment, ID, irr_nodes_size(nodes, nodes->node[r]),
                                 nodes->place[r], true, &rank->card));
    rank->board.block_max = rank->board.short_max = BLOCK_MAX;
    rank->board.bytes_max = SEGMENT;
    irr_test_must(irr_mail_init(&rank->mail, &rank->board, nodes, r, LIMIT, &rank->place));
    rank->board.mail = &rank->mail;
    irr_test_must(irr_view_open(&rank->view, &rank->card.segment));
}

void irr_mails_join(int r)
{
    irr_mails_rank_t *rank = &irr_mails.rank[r];

    for (int i = 0; i < rank->board.count; i++) {
        irr_mails_rank_t *member = member_of(r, i);

        irr_test_must(irr_board_join(&rank->board, i, (int)(member - irr_mails.rank), &member->view, &member->card));
        irr_test_must(irr_mail_join(&rank->mail, i, member->place));
    }
}

void irr_mails_begin(int ranks, int layout)
{
    int labels[RANKS_MAX] = { 0 };

    irr_mails.ranks = ranks;
    for (int r = 0; r < ranks; r++) {
        labels[r] = node_of(layout, ranks, r);
    }
    irr_test_must(irr_nodes_init(&irr_mails.nodes, ranks, labels));
    irr_mails.rank = irr_test_array((size_t)ranks, sizeof(*irr_mails.rank));
    irr_mails.lines = irr_test_array((size_t)(ranks * ranks), sizeof(*irr_mails.lines));
    for (int r = 0; r < ranks; r++) {
        init_rank(r);
    }
    for (int i = 0; i < ranks * ranks; i++) {
        pthread_mutex_init(&irr_mails.lines[i].lock, NULL);
    }
    for (int r = 0; r < ranks; r++) {
        irr_mails_join(r);
    }
}

void irr_mails_draw(int jobs, irr_job_kind_t kind)
{
    irr_mails.jobs = jobs;
    for (int i = 0; i < jobs; i++) {
        const irr_job_kind_t any = (irr_job_kind_t)irr_test_below(&irr_mails.state, IRR_JOB_KINDS);

        irr_mails.job[i] = irr_job_create(irr_mails.ranks, kind == IRR_JOB_KINDS ? any : kind,
                                          irr_test_random(&irr_mails.state));
        irr_job_fill(irr_mails.job[i]);
    }
}

void irr_mails_drop(void)
{
    while (irr_mails.jobs > 0) {
        irr_job_destroy(irr_mails.job[--irr_mails.jobs]);
    }
}

void irr_mails_end(void)
{
    irr_mails_drop();
    for (int r = 0; r < irr_mails.ranks; r++) {
        irr_mail_fini(&irr_mails.rank[r].mail);
        irr_board_fini(&irr_mails.rank[r].board);
        CU_ASSERT_EQUAL(irr_mails.rank[r].segment.taken, 0);
    }
    for (int r = 0; r < irr_mails.ranks; r++) {
        if (irr_mails.rank[r].view.bytes != irr_mails.rank[r].segment.bytes) {
            irr_view_close(&irr_mails.rank[r].view);
        }
        irr_segment_fini(&irr_mails.rank[r].segment);
    }
    for (int i = 0; i < irr_mails.ranks * irr_mails.ranks; i++) {
        CU_ASSERT_EQUAL(irr_mails.lines[i].sent, irr_mails.lines[i].received);
        pthread_mutex_destroy(&irr_mails.lines[i].lock);
    }
    irr_nodes_fini(&irr_mails.nodes);
    free(irr_mails.lines);
    free(irr_mails.rank);
}

/* ---- messages ---- */

static void send_message(int me, irr_mail_served_t *served)
{
    irr_mails_rank_t *rank = &irr_mails.rank[me];
    irr_mails_line_t *line = &irr_mails.lines[me * irr_mails.ranks + served->peer];
    size_t described, bytes = 0;
    const size_t count = irr_mail_send(&rank->mail, served, &described);
    unsigned char *message;

    CU_ASSERT(count > 0 && count <= irr_mail_pieces_max(&rank->mail));
    for (size_t i = 0; i < count; i++) {
        bytes += rank->mail.pieces[i].length;
    }
    message = irr_test_array(bytes, 1);
    bytes = 0;
    for (size_t i = 0; i < count; i++) {
        const irr_piece_t *piece = &rank->mail.pieces[i];

        memcpy(message + bytes, (const void *)(uintptr_t)piece->offset, piece->length);
        bytes += piece->length;
    }
    pthread_mutex_lock(&line->lock);
    CU_ASSERT_FATAL(line->sent - line->received < FLIGHT);
    line->bytes[line->sent % FLIGHT] = message;
    line->length[line->sent++ % FLIGHT] = bytes;
    pthread_mutex_unlock(&line->lock);
    rank->described += described;
    rank->messages++;
}

/* If it has come. */
static void receive_message(int me, irr_mail_served_t *served)
{
    irr_mails_rank_t *rank = &irr_mails.rank[me];
    irr_mails_line_t *line = &irr_mails.lines[served->peer * irr_mails.ranks + me];
    const irr_piece_t room = irr_mail_room(&rank->mail, served);
    unsigned char *message = NULL;
    size_t bytes = 0;

    pthread_mutex_lock(&line->lock);
    if (line->sent != line->received) {
        message = line->bytes[line->received % FLIGHT];
        bytes = line->length[line->received++ % FLIGHT];
    }
    pthread_mutex_unlock(&line->lock);
    if (message != NULL) {
        CU_ASSERT_FATAL(bytes <= room.length);
        memcpy((void *)(uintptr_t)room.offset, message, bytes);
        free(message);
        CU_ASSERT_EQUAL(irr_mail_received(&rank->mail, served, bytes), IRR_OK);
    }
}

/* ---- an exchange of a rank ---- */

irr_job_t *irr_mails_job(const irr_mails_rank_t *rank)
{
    return irr_mails.job[rank->exchanges / 2 % irr_mails.jobs];
}

void irr_mails_start(int me)
{
    irr_mails_rank_t *rank = &irr_mails.rank[me];
    irr_job_t *job = irr_mails_job(rank);
    const irr_problem_t *problem = &job->problems[me];
    const irr_board_sides_t inside = { rank->sent[0], rank->received[0] };
    const irr_board_sides_t outside = { rank->sent[1], rank->received[1] };
    const irr_board_buffers_t buffers = {
        .input = rank->lacks ? NULL : irr_job_input(job, me), .output = irr_job_output(job, me),
        .lacks = rank->lacks ? IRR_LACKS_INPUT : 0 };

    irr_job_poison(job, me);
    irr_board_sides_of(&rank->board, problem, inside);
    irr_mail_sides_of(&rank->mail, problem, outside);
    irr_mail_start(&rank->mail, problem, outside, buffers);
    irr_board_start(&rank->board, problem, &rank->board.all, inside, buffers);
    rank->open = true;
    rank->cells = rank->serves = false;
    rank->messages = 0;
    rank->described = 0;
}

/* What does not go over boards. */
static void copy_directly(int me, int from)
{
    const irr_job_t *job = irr_mails_job(&irr_mails.rank[me]);
    irr_blocks_cursor_t source = irr_blocks_at(irr_blocks_of(job->problems[from].send, me), 0);
    irr_blocks_cursor_t target = irr_blocks_at(irr_blocks_of(job->problems[me].recv, from), 0);
    irr_block_t a, b;

    while (irr_blocks_pair(&source, &target, &a, &b)) {
        memcpy((char *)irr_job_output(job, me) + b.offset, (const char *)irr_job_input(job, from) + a.offset, b.length);
    }
}

static void copy_rest(int me)
{
    const irr_mails_rank_t *rank = &irr_mails.rank[me];
    const irr_nodes_t *nodes = &irr_mails.nodes;

    copy_directly(me, me);
    for (int i = 0; i < rank->board.nin; i++) {
        copy_directly(me, rank->board.members[rank->board.in[i]].rank);
    }
    for (int from = 0; from < irr_mails.ranks; from++) {
        if (nodes->node[from] != nodes->node[me] && irr_job_length(irr_mails_job(rank), from, me) > LIMIT) {
            copy_directly(me, from);
        }
    }
}

/* True when it is over. */
bool irr_mails_go_on(int me)
{
    irr_mails_rank_t *rank = &irr_mails.rank[me];
    irr_mail_t *mail = &rank->mail;

    if (!rank->cells) {
        const irr_status_t status = irr_board_progress(&rank->board);

        rank->cells = status != IRR_IN_PROGRESS;
        rank->result = status;
        return false;
    }
    for (int i = 0; i < mail->nserved; i++) {
        if (!rank->serves) {
            send_message(me, &mail->served[i]);
        } else if (mail->served[i].open) {
            receive_message(me, &mail->served[i]);
        }
    }
    rank->serves = true;
    if (irr_mail_progress(mail) == IRR_IN_PROGRESS) {
        return false;
    }
    rank->result = rank->result == IRR_OK ? mail->status : rank->result;
    copy_rest(me);
    irr_board_end(&rank->board);
    rank->open = false;
    return true;
}

static void expect_right(int me)
{
    irr_mails_rank_t *rank = &irr_mails.rank[me];

    CU_ASSERT_EQUAL(rank->result, IRR_OK);
    CU_ASSERT_EQUAL(rank->mail.nin, 0);
    CU_ASSERT_FALSE(rank->mail.lost);
    CU_ASSERT_TRUE(irr_job_verify(irr_mails_job(rank), me));
}

void irr_mails_take_turns(int exchanges)
{
    int left = irr_mails.ranks;

    for (int r = 0; r < irr_mails.ranks; r++) {
        irr_mails.rank[r].exchanges = 0;
    }
    while (left > 0) {
        const int me = (int)irr_test_below(&irr_mails.state, (uint64_t)irr_mails.ranks);
        irr_mails_rank_t *rank = &irr_mails.rank[me];

        if (!rank->open && rank->exchanges < exchanges) {
            irr_mails_start(me);
        } else if (rank->open && irr_mails_go_on(me)) {
            expect_right(me);
            left -= ++rank->exchanges == exchanges;
        }
    }
}

void irr_mails_run_once(void)
{
    int left = irr_mails.ranks;

    for (int r = 0; r < irr_mails.ranks; r++) {
        irr_mails_start(r);
    }
    while (left > 0) {
        for (int r = 0; r < irr_mails.ranks; r++) {
            left -= irr_mails.rank[r].open && irr_mails_go_on(r);
        }
    }
}

/*
 * refused.c - jobs in which the kernel refuses single copies after the links between ranks were made. Every call is
 * right, and no call returns an error. The first calls of each case are made before anything is refused.
 */
#include "mpi_call.h"
#include "mpi_memory.h"

#include "../forbid_reads.h"

#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { INTEGERS = 60000, CALLS = 3 };

/* Opens communicators, and initialises a call with blocks that travel by single copy. */
static void open_call(mpi_pair_t *pair, mpi_call_t *call)
{
    mpi_spec_t spec = mpi_spec_plain(ALLTOALLV, mpi_count_most, 0, mpi_test_seed());

    spec.most = INTEGERS;
    mpi_pair_open(pair, ALL);
    MPI_Comm_set_errhandler(pair->irr, MPI_ERRORS_RETURN);
    mpi_call_init(call, pair, &spec);
}

/* Makes calls of each form. coll/irr must serve them, and the bytes must be those of point-to-point messages. */
static void check_calls(mpi_call_t *call)
{
    const unsigned long long served = mpi_test_served();

    for (int form = 0; form < FORMS; form++) {
        for (int i = 0; i < CALLS; i++) {
            CHECK(mpi_call_once(call, (mpi_form_t)form));
        }
    }
    CHECK(mpi_call_agrees(call));
    CHECK(mpi_test_served() > served);
}

static void close_call(mpi_pair_t *pair, mpi_call_t *call)
{
    mpi_call_fini(call);
    mpi_pair_fini(pair);
}

/*
 * The kernel refuses one read of each rank, then all reads. A rank reads no more from a process after a refusal, so at
 * least three ranks are needed.
 */
static void case_unread(void)
{
    mpi_pair_t pair;
    mpi_call_t call;

    mpi_memory_watch();
    open_call(&pair, &call);
    CHECK(mpi_call_once(&call, BLOCKING));
    mpi_memory_fail_kind(PROCESS_VM_READV, 1 + pair.rank % 3, 1);
    check_calls(&call);
    CHECK(mpi_memory_fail_kind(PROCESS_VM_READV, 1, LONG_MAX) == 1);
    check_calls(&call);
    CHECK(mpi_memory_fail_kind(PROCESS_VM_READV, 0, 0) > 0);
    close_call(&pair, &call);
}

/* ---- memory that only its owner may read ---- */

static struct {
    uintptr_t             from, to;   /* protected pages of the send side */
    size_t                page;
    volatile sig_atomic_t faults;
} own;

/* Lifts the protection of a page when the rank itself reads the page. */
static void on_fault(int number, siginfo_t *info, void *context)
{
    const uintptr_t at = (uintptr_t)info->si_addr;

    (void)number;
    (void)context;
    if (at < own.from || at >= own.to ||
        mprotect((void *)(at / own.page * own.page), own.page, PROT_READ | PROT_WRITE) != 0) {
        _exit(3);
    }
    own.faults++;
}

static void protect(const mpi_side_t *side)
{
    own.page = (size_t)sysconf(_SC_PAGESIZE);
    own.from = ((uintptr_t)side->memory + own.page - 1) / own.page * own.page;
    own.to = ((uintptr_t)side->memory + side->bytes) / own.page * own.page;
    CHECK(own.from < own.to && mprotect((void *)own.from, own.to - own.from, PROT_NONE) == 0);
}

/* The pages of the send side are protected before each call, as by a garbage collector or a library of checkpoints. */
static void case_protected(void)
{
    const struct sigaction ours = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };
    struct sigaction before;
    mpi_pair_t pair;
    mpi_call_t call;

    open_call(&pair, &call);
    CHECK(mpi_call_once(&call, BLOCKING));
    sigaction(SIGSEGV, &ours, &before);
    for (int i = 0; i < CALLS; i++) {
        mpi_call_fill(&call);
        protect(&call.send);
        CHECK(mpi_call_start(&call, (mpi_form_t)(i % FORMS)) == MPI_SUCCESS);
        CHECK(mpi_call_wait(&call) == MPI_SUCCESS && mpi_call_is_right(&call));
        CHECK(mprotect((void *)own.from, own.to - own.from, PROT_READ | PROT_WRITE) == 0);
    }
    CHECK(own.faults > 0);
    sigaction(SIGSEGV, &before, NULL);
    check_calls(&call);
    close_call(&pair, &call);
}

/* ---- processes that may no longer read each other ---- */

/* A filter of system calls, as containers have, refuses process_vm_readv from now on. It stays until the rank ends. */
static void case_filtered(void)
{
    mpi_pair_t pair;
    mpi_call_t call;

    open_call(&pair, &call);
    check_calls(&call);
    CHECK(test_forbid_reads());
    check_calls(&call);
    close_call(&pair, &call);
}

/* The ranks become non-dumpable. The kernel then refuses to let other users than root read their memory. */
static void case_undumpable(void)
{
    mpi_pair_t pair;
    mpi_call_t call;

    open_call(&pair, &call);
    check_calls(&call);
    CHECK(prctl(PR_SET_DUMPABLE, 0) == 0);
    check_calls(&call);
    close_call(&pair, &call);
}

MPI_CASES(mpi_cases_refused,
    { "unread", case_unread, 0 }, { "protected", case_protected, 0 }, { "filtered", case_filtered, 0 },
    { "undumpable", case_undumpable, 0 });

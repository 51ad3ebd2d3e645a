/* failure.c - fails a communicator on all its members, by empty messages (notices); see failure.h. */
#include "comm/exchange.h"

#include "core/clock.h"
#include "core/log.h"

#include <inttypes.h>

#define NS_PER_S UINT64_C(1000000000)

/* If a notice has arrived, an exchange ends after this number of rounds of progress without an event. */
#define QUIET_ROUNDS 2048

/*
 * An exchange also ends after this number of checks, because other communicators can keep the transport busy for long.
 */
#define NOTIFIED_MAX 4096

/* The tag of a notice. All other messages of the kind SYNC have a stage above 0. */
static uint16_t notice_tag(void)
{
    return irr_tag(irr_tag_base(0), IRR_TAG_SYNC, 0);
}

/* ---- failing ---- */

void irr_comm_abandon(irr_comm_t *comm)
{
    if (comm->channel != NULL) {
        irr_channel_abandon(comm->channel);
    }
}

static void start_notices(irr_comm_t *comm, int members)
{
    irr_engine_t *engine = comm->engine;

    comm->notice.members = members;
    if (!comm->notice.listed) {
        comm->notice.listed = true;
        comm->next_notifying = engine->notifying;
        engine->notifying = comm;
        engine->changed = true;
    }
}

/* Fails the communicator on this rank only. */
static void end_here(irr_comm_t *comm, irr_status_t status)
{
    comm->failed = status;
    comm->failed_ns = irr_clock_ns();
    if (comm->channel != NULL) {
        irr_channel_abandon(comm->channel);
        irr_channel_take_back(comm->channel);
    }
}

void irr_comm_fail(irr_comm_t *comm, irr_status_t status, const char *reason)
{
    if (comm->failed != IRR_OK) {
        return;
    }
    if (reason != NULL) {
        irr_log(IRR_LOG_ERROR, "rank %d of a communicator of %d ranks %s: %s; its exchanges end in errors from now on",
                comm->rank, comm->ranks, reason, irr_status_text(status));
    }
    end_here(comm, status);
    start_notices(comm, comm->ranks - 1);
}

/* ---- notices ---- */

/*
 * The callback when a notice was sent. A notice that failed for lack of memory will be sent again. Other errors are
 * ignored; a rank that cannot be reached waits for its own timeout.
 */
static void on_notified(irr_request_t *request, irr_status_t status)
{
    irr_notice_t *notice = (irr_notice_t *)request;

    notice->busy = false;
    notice->told -= status == IRR_ERR_NO_MEMORY;
}

_Static_assert(offsetof(irr_notice_t, request) == 0, "on_notified casts a request to its notice");

/* If memory is missing for a notice, the next call tries again, because a member without a notice would wait. */
bool irr_comm_notify(irr_comm_t *comm)
{
    irr_notice_t *notice = &comm->notice;

    for (; notice->told < notice->members && !notice->busy; notice->told++) {
        irr_status_t status;

        notice->request.done = on_notified;
        irr_request_set(&notice->request, (comm->rank + 1 + notice->told) % comm->ranks, notice_tag(), NULL, 0,
                        IRR_FORM_IOVEC);
        status = irr_channel_send(comm->channel, &notice->request);
        if (status == IRR_ERR_NO_MEMORY) {
            return false;
        }
        notice->busy = status == IRR_IN_PROGRESS;
    }
    notice->listed = notice->told < notice->members || notice->busy;
    return !notice->listed;
}

/* ---- checks ---- */

/*
 * Returns true if a notice has arrived, and passes it on to the next rank. If the transport lost a message for lack of
 * memory, it may have been a notice, so the communicator fails.
 */
static bool is_notified(irr_comm_t *comm)
{
    irr_transport_t *transport = comm->engine->transport;
    size_t notices = 0;

    if (transport->ops->discard(transport, comm->id, notice_tag(), IRR_TAG_FULL_MASK, &notices) == IRR_ERR_NO_MEMORY) {
        irr_comm_fail(comm, IRR_ERR_NO_MEMORY, "has no memory for a message");
    }
    if (notices > 0 && comm->failed == IRR_OK) {
        start_notices(comm, 1);
        return true;
    }
    return false;
}

/*
 * Returns the timeout in ns. Lower ranks have shorter timeouts, by up to a sixteenth. If many ranks wait for one rank,
 * the lowest of them therefore times out first, and notifies the others before they report an error as well.
 */
static uint64_t limit_ns(const irr_comm_t *comm)
{
    const uint64_t limit = comm->settings.timeout * NS_PER_S;

    return limit - limit / 16 / (uint64_t)comm->ranks * (uint64_t)(comm->ranks - comm->rank);
}

void irr_comm_name_rank(const irr_comm_t *comm, int rank, char *text, size_t size)
{
    snprintf(text, size, "rank %d, which is process %" PRIu64 " of the job", rank,
             irr_members_name(&comm->members, rank));
}

static void time_out(irr_exchange_t *exchange)
{
    irr_comm_t *comm = exchange->comm;
    const int rank = irr_exchange_awaited(exchange);
    char name[64] = "", reason[160];

    if (rank >= 0) {
        irr_comm_name_rank(comm, rank, name, sizeof(name));
    }
    snprintf(reason, sizeof(reason), "has waited %zu s (%stimeout) in an exchange%s%s", comm->settings.timeout,
             irr_log_prefix(), rank >= 0 ? " for " : "", name);
    irr_comm_fail(comm, IRR_ERR_TIMEOUT, reason);
}

void irr_comm_listen(irr_comm_t *comm)
{
    if (comm->failed == IRR_OK && (comm->notified > 0 || is_notified(comm))) {
        irr_log(IRR_LOG_DEBUG, "rank %d of a communicator of %d ranks got the notice that it failed", comm->rank,
                comm->ranks);
        end_here(comm, IRR_ERR_PEER);
    }
}

/* A rank is late if it starts no exchange for this part of the timeout. */
#define LATE_PART 4

/* Calls of the transport's progress in which the notices that have reached this node arrive. */
#define LATE_ROUNDS 64

void irr_comm_check_start(irr_comm_t *comm)
{
    const uint64_t now_ns = irr_clock_ns();
    const bool late = now_ns - comm->started_ns > comm->settings.timeout * NS_PER_S / LATE_PART;

    comm->started_ns = now_ns;
    if (late) {
        irr_transport_t *transport = comm->engine->transport;

        irr_lock_acquire(&comm->engine->lock);
        for (int i = 0; i < LATE_ROUNDS; i++) {
            transport->ops->progress(transport);
        }
        comm->engine->changed = true;
        if (comm->queue.open == 0) {   /* otherwise irr_comm_watch checks */
            irr_comm_listen(comm);
        }
        irr_lock_release(&comm->engine->lock);
    }
}

/* Returns true if a notice has arrived and the exchange may end, because the transport is idle (failure.h). */
static bool is_notified_and_quiet(irr_comm_t *comm)
{
    comm->notified += comm->notified > 0 || is_notified(comm);
    return comm->notified > 0 && (comm->engine->idle >= QUIET_ROUNDS || comm->notified > NOTIFIED_MAX);
}

void irr_comm_watch(irr_exchange_t *exchange)
{
    irr_comm_t *comm = exchange->comm;

    if (comm->failed == IRR_OK && is_notified_and_quiet(comm)) {
        irr_comm_listen(comm);
    }
    if (comm->failed == IRR_OK && comm->notified == 0 && comm->settings.timeout > 0 &&
        exchange->since_ns != 0 && irr_clock_ns() - exchange->since_ns > limit_ns(comm)) {
        time_out(exchange);
    }
}

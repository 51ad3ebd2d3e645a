/*
 * engine.c - creates and destroys the engine of a process, opens its transports, and progresses its exchanges.
 *
 * A round of progress calls the transport's progress function once. A round is idle if the transport reports no event.
 * An MPI that calls irr_engine_progress while nothing is in progress gets a round only once in 1,024 calls.
 */
#include "comm/exchange.h"

#include "core/alloc.h"
#include "core/log.h"

#include <assert.h>
#include <poll.h>
#include <string.h>
#include <time.h>

/* Number of idle rounds between two searches for messages that no receive matches. */
#define IDLE_ROUNDS 1024

/* Number of idle rounds between two checks of the open exchanges for failures and timeouts. */
#define QUIET_ROUNDS 16

/* A sleep that ends without an event counts as this number of idle rounds. */
#define SLEEP_ROUNDS 256

static irr_status_t create(bool threads, irr_engine_t **engine_p)
{
    irr_engine_t *engine = irr_alloc_zero(1, sizeof(*engine));

    if (engine == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    if (irr_lanes_create(&engine->lanes) != IRR_OK) {
        goto err_engine;
    }
    if (irr_lock_init(&engine->lock, threads) != 0) {
        goto err_lanes;
    }
    engine->transport = &engine->lanes->super;
    irr_peers_init(&engine->peers);
    *engine_p = engine;
    return IRR_OK;

err_lanes:
    engine->lanes->super.ops->free(&engine->lanes->super);
err_engine:
    irr_free(engine);
    return IRR_ERR_NO_MEMORY;
}

irr_status_t irr_engine_create_on(irr_transport_t *transport, bool threads, irr_engine_t **engine_p)
{
    const irr_status_t status = create(threads, engine_p);

    if (status == IRR_OK) {
        irr_lanes_put((*engine_p)->lanes, IRR_LANE_FAR, transport);
        (*engine_p)->refused[IRR_LANE_NEAR] = IRR_ERR_NOT_SUPPORTED;
    }
    return status;
}

/* ---- the transports ---- */

/* Copies a string. The copy of NULL or of an empty string is NULL. */
static irr_status_t copy_text(const char *text, const char **copy_p)
{
    const size_t bytes = text != NULL ? strlen(text) + 1 : 0;
    char *copy;

    *copy_p = NULL;
    if (bytes <= 1) {
        return IRR_OK;
    }
    copy = irr_alloc(bytes, 1);
    if (copy == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    *copy_p = memcpy(copy, text, bytes);
    return IRR_OK;
}

static void free_config(irr_engine_config_t *config)
{
    irr_free((void *)config->transport);
    irr_free((void *)config->ucx_tls);
    irr_free((void *)config->ucx_devices);
    irr_free((void *)config->ofi_provider);
    irr_free((void *)config->ofi_domain);
    irr_free((void *)config->trace);
    irr_free((void *)config->interfaces);
}

static irr_status_t copy_config(const irr_engine_config_t *given, irr_engine_config_t *config)
{
    const struct { const char *from, **to; } texts[] = {
        { given->transport, &config->transport },
        { given->ucx_tls, &config->ucx_tls },
        { given->ucx_devices, &config->ucx_devices },
        { given->ofi_provider, &config->ofi_provider },
        { given->ofi_domain, &config->ofi_domain },
        { given->trace, &config->trace },
        { given->interfaces, &config->interfaces }
    };
    irr_status_t status = IRR_OK;

    *config = *given;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        *texts[i].to = NULL;
    }
    for (size_t i = 0; status == IRR_OK && i < sizeof(texts) / sizeof(texts[0]); i++) {
        status = copy_text(texts[i].from, texts[i].to);
    }
    if (status != IRR_OK) {
        free_config(config);
    }
    return status;
}

irr_status_t irr_engine_create(const irr_engine_config_t *given, irr_engine_t **engine_p)
{
    irr_engine_config_t config;
    irr_status_t status = copy_config(given, &config);

    if (status != IRR_OK) {
        return status;
    }
    status = create(config.threads, engine_p);
    if (status != IRR_OK) {
        free_config(&config);
        return status;
    }
    (*engine_p)->config = config;
    return IRR_OK;
}

irr_status_t irr_engine_open_lane(irr_engine_t *engine, irr_lane_kind_t kind)
{
    irr_status_t *refused = &engine->refused[kind];
    irr_status_t status;

    irr_lock_acquire(&engine->lock);
    if (engine->lanes->inner[kind] == NULL && *refused == IRR_OK) {
        irr_log_keep(engine->reason[kind], sizeof(engine->reason[kind]));
        *refused = irr_lanes_open(engine->lanes, kind, &engine->config);
        irr_log_keep(NULL, 0);
        if (*refused == IRR_OK) {
            irr_log(IRR_LOG_DEBUG, "engine opened transport %s", engine->lanes->inner[kind]->caps.name);
        }
    }
    status = *refused;
    irr_lock_release(&engine->lock);
    return status;
}

/* ---- progress ---- */

/* Continues every started exchange. Removes communicators whose exchanges are all over from engine->busy. */
static void progress_exchanges(irr_engine_t *engine)
{
    irr_comm_t **link = &engine->busy;

    while (*link != NULL) {
        irr_comm_t *comm = *link;

        comm->busy = irr_queue_progress(comm);
        if (comm->busy) {
            link = &comm->next_busy;
        } else {
            *link = comm->next_busy;
        }
    }
}

/* Sends the messages by which this rank informs other ranks that a communicator has failed. */
static void notify(irr_engine_t *engine)
{
    irr_comm_t **link = &engine->notifying;

    while (*link != NULL) {
        irr_comm_t *comm = *link;

        if (irr_comm_notify(comm)) {
            *link = comm->next_notifying;
        } else {
            link = &comm->next_notifying;
        }
    }
}

/* One round. The engine is locked. Inline, because every exchange runs this function. */
__attribute__((always_inline))
static inline unsigned progress(irr_engine_t *engine)
{
    const unsigned events = engine->transport->ops->progress(engine->transport);

    engine->rounds++;
    engine->idle = events > 0 ? 0 : engine->idle + 1;
    if (engine->changed || engine->idle % QUIET_ROUNDS == 0) {
        engine->changed = false;
        progress_exchanges(engine);
        notify(engine);
    }
    if (engine->idle > 0 && engine->idle % IDLE_ROUNDS == 0) {
        irr_unexpected_search(engine);
    }
    return events;
}

/* Returns true if only a search for messages that no receive matches may have something to do. */
static inline bool is_idle(const irr_engine_t *engine)
{
    return engine->busy == NULL && engine->notifying == NULL && !engine->closed && irr_lanes_are_idle(engine->lanes);
}

/* An idle engine has a round only when such a search is due. */
unsigned irr_engine_progress(irr_engine_t *engine)
{
    unsigned events = 0;

    if (!irr_lock_try(&engine->lock)) {
        return 0;
    }
    if (!is_idle(engine) || (engine->idle + 1) % IDLE_ROUNDS == 0) {
        events = progress(engine);
    } else {
        engine->idle++;
    }
    irr_lock_release(&engine->lock);
    return events;
}

/* Not inline, because most short exchanges are over before irr_exchange_wait has to wait. */
__attribute__((noinline))
static irr_status_t wait_for(irr_exchange_t *exchange, int rounds, unsigned *events)
{
    irr_engine_t *engine = exchange->comm->engine;
    irr_status_t result;

    do {
        irr_lock_acquire(&engine->lock);
        *events += progress(engine);
        irr_lock_release(&engine->lock);
        result = irr_exchange_read(exchange);
    } while (result == IRR_IN_PROGRESS && --rounds > 0);
    return result;
}

irr_status_t irr_exchange_wait(irr_exchange_t *exchange, int rounds, unsigned *events)
{
    const irr_status_t result = irr_exchange_read(exchange);

    return result == IRR_IN_PROGRESS ? wait_for(exchange, rounds, events) : result;
}

irr_status_t irr_engine_wait(irr_engine_t *engine, unsigned timeout_us)
{
    struct timespec timeout = { .tv_sec = timeout_us / 1000000, .tv_nsec = timeout_us % 1000000 * 1000L };
    struct pollfd event = { .events = POLLIN };
    irr_status_t status;

    irr_lock_acquire(&engine->lock);
    status = engine->transport->ops->arm(engine->transport, &event.fd);
    engine->counters.waits += status == IRR_OK;
    irr_lock_release(&engine->lock);
    if (status != IRR_OK) {
        return status == IRR_IN_PROGRESS ? IRR_OK : status;
    }
    if (ppoll(&event, 1, &timeout, NULL) != 0) {
        return IRR_OK;
    }
    irr_lock_acquire(&engine->lock);
    irr_unexpected_search(engine);
    engine->idle += SLEEP_ROUNDS;
    engine->changed = true;   /* the next round checks timeouts */
    irr_lock_release(&engine->lock);
    return IRR_ERR_TIMEOUT;
}

void irr_engine_counters(irr_engine_t *engine, irr_counters_t *counters)
{
    irr_lock_acquire(&engine->lock);
    engine->transport->ops->statistics(engine->transport, &engine->counters.endpoints_open,
                                       &engine->counters.bytes_gathered);
    *counters = engine->counters;
    irr_lock_release(&engine->lock);
}

bool irr_engine_has_network(irr_engine_t *engine)
{
    bool has_network;

    irr_lock_acquire(&engine->lock);
    has_network = engine->lanes->inner[IRR_LANE_FAR] != NULL;
    irr_lock_release(&engine->lock);
    return has_network;
}

/*
 * Cancels the exchanges that still receive, because the transport could answer a sender only over an endpoint that is
 * about to be closed. Exchanges that only send may still complete.
 */
static void end_exchanges(irr_engine_t *engine)
{
    for (irr_comm_t *comm = engine->busy; comm != NULL; comm = comm->next_busy) {
        if (!irr_queue_only_sends(comm)) {
            comm->failed = IRR_ERR_CANCELED;
            irr_comm_abandon(comm);
            irr_queue_end_all(comm, IRR_ERR_CANCELED);
        }
    }
}

void irr_engine_close(irr_engine_t *engine)
{
    irr_lock_acquire(&engine->lock);
    end_exchanges(engine);
    engine->closed = true;
    engine->transport->ops->close(engine->transport);
    irr_lock_release(&engine->lock);
}

irr_status_t irr_engine_drain(irr_engine_t *engine)
{
    irr_status_t status;

    irr_engine_progress(engine);
    irr_lock_acquire(&engine->lock);
    status = engine->transport->ops->drain(engine->transport);
    irr_lock_release(&engine->lock);
    return status;
}

void irr_engine_destroy(irr_engine_t *engine)
{
    assert(engine->comms == NULL);
    for (irr_comm_t *comm = engine->buried; comm != NULL; comm = comm->next) {
        irr_comm_close_channel(comm);
    }
    engine->transport->ops->free(engine->transport);
    while (engine->buried != NULL) {
        irr_comm_t *comm = engine->buried;

        engine->buried = comm->next;
        irr_comm_free(comm);
    }
    irr_peers_fini(&engine->peers);
    irr_directories_destroy(engine->directories);
    irr_lock_fini(&engine->lock);
    free_config(&engine->config);
    irr_free(engine);
}

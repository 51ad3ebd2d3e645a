/*
 * bench_pvar.c - what coll/irr counted, read through MPI_T.
 *
 * The component registers its counters when it is loaded, so the absence of a variable means that coll/irr
 * is not in this job.  MPI_T wants its variables checked before they are read: a read writes as many bytes
 * as the variable has.
 */
#include "bench.h"

static struct {
    bool               initialized;
    MPI_T_pvar_session session;
    MPI_T_pvar_handle  exchanges, messages;
    bool               loaded;
} pvars;

/* One unsigned long long that always counts and belongs to no object. */
static bool suits(int index)
{
    int name_length = 0, text_length = 0, verbosity, class, bind, readonly, continuous, atomic;
    MPI_Datatype type;
    MPI_T_enum enumeration;

    return MPI_T_pvar_get_info(index, NULL, &name_length, &verbosity, &class, &type, &enumeration, NULL,
                               &text_length, &bind, &readonly, &continuous, &atomic) == MPI_SUCCESS &&
           type == MPI_UNSIGNED_LONG_LONG && bind == MPI_T_BIND_NO_OBJECT && continuous;
}

static bool open_one(const char *name, MPI_T_pvar_handle *handle_p)
{
    int index, count = 0;

    return MPI_T_pvar_get_index(name, MPI_T_PVAR_CLASS_COUNTER, &index) == MPI_SUCCESS && suits(index) &&
           MPI_T_pvar_handle_alloc(pvars.session, index, NULL, handle_p, &count) == MPI_SUCCESS && count == 1;
}

bool irr_bench_pvars_open(void)
{
    int provided;

    pvars.session = MPI_T_PVAR_SESSION_NULL;
    pvars.initialized = MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS;
    pvars.loaded = pvars.initialized && MPI_T_pvar_session_create(&pvars.session) == MPI_SUCCESS &&
                   open_one("coll_irr_exchanges", &pvars.exchanges) &&
                   open_one("coll_irr_messages_sent", &pvars.messages);
    return pvars.loaded;
}

/* Freeing the session frees its handles. */
void irr_bench_pvars_close(void)
{
    if (pvars.session != MPI_T_PVAR_SESSION_NULL) {
        MPI_T_pvar_session_free(&pvars.session);
    }
    if (pvars.initialized) {
        MPI_T_finalize();
    }
    pvars.loaded = pvars.initialized = false;
}

irr_bench_counts_t irr_bench_pvars_read(void)
{
    irr_bench_counts_t counts = { 0 };

    if (pvars.loaded) {
        MPI_T_pvar_read(pvars.session, pvars.exchanges, &counts.exchanges);
        MPI_T_pvar_read(pvars.session, pvars.messages, &counts.messages);
    }
    return counts;
}

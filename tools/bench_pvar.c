/*
 * bench_pvar.c - reads the counters of coll/irr through MPI_T.
 *
 * The component registers a variable for each counter when it is loaded.  If a variable is missing, coll/irr is not in
 * this job, or its release lacks the counter.  A gauge is a counter that is no sum, such as a maximum; its variable has
 * another MPI_T class.  MPI_T_pvar_read writes as many bytes as the type of the variable has, so the type is checked
 * before.
 */
#include "bench.h"

#include <string.h>

#define COUNTER_ROW(field, text) { #field, text, "coll_irr_" #field },
static const struct { const char *name, *text, *variable; } rows[] = { IRR_COUNTERS_MAP(COUNTER_ROW) };
#undef COUNTER_ROW

typedef struct counter {
    bool              known, gauge;
    MPI_T_pvar_handle handle;
} counter_t;

static struct {
    bool               initialized;
    MPI_T_pvar_session session;
    counter_t          counters[IRR_BENCH_COUNTERS];
} pvars;

const char *irr_bench_counter_name(int i)
{
    return i < IRR_BENCH_COUNTERS ? rows[i].name : NULL;
}

const char *irr_bench_counter_text(int i)
{
    return i < IRR_BENCH_COUNTERS ? rows[i].text : NULL;
}

/* ---- variables ---- */

/* Returns true if a variable is one unsigned long long, always counts, and is not bound to an object. */
static bool suits(int index)
{
    int name_length = 0, text_length = 0, verbosity, class, bind, readonly, continuous, atomic;
    MPI_Datatype type;
    MPI_T_enum enumeration;

    return MPI_T_pvar_get_info(index, NULL, &name_length, &verbosity, &class, &type, &enumeration, NULL,
                               &text_length, &bind, &readonly, &continuous, &atomic) == MPI_SUCCESS &&
           type == MPI_UNSIGNED_LONG_LONG && bind == MPI_T_BIND_NO_OBJECT && continuous;
}

static void open_one(const char *variable, counter_t *counter)
{
    int index, count = 0;

    counter->gauge = MPI_T_pvar_get_index(variable, MPI_T_PVAR_CLASS_COUNTER, &index) != MPI_SUCCESS;
    if (counter->gauge && MPI_T_pvar_get_index(variable, MPI_T_PVAR_CLASS_SIZE, &index) != MPI_SUCCESS) {
        return;
    }
    counter->known = suits(index) &&
        MPI_T_pvar_handle_alloc(pvars.session, index, NULL, &counter->handle, &count) == MPI_SUCCESS && count == 1;
}

bool irr_bench_pvars_open(void)
{
    int provided;

    pvars.session = MPI_T_PVAR_SESSION_NULL;
    pvars.initialized = MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS;
    if (pvars.initialized && MPI_T_pvar_session_create(&pvars.session) == MPI_SUCCESS) {
        for (int i = 0; i < IRR_BENCH_COUNTERS; i++) {
            open_one(rows[i].variable, &pvars.counters[i]);
        }
    }
    return pvars.counters[IRR_BENCH_COUNTER_exchanges].known;
}

/* Frees the session, which also frees its handles. */
void irr_bench_pvars_close(void)
{
    if (pvars.session != MPI_T_PVAR_SESSION_NULL) {
        MPI_T_pvar_session_free(&pvars.session);
    }
    if (pvars.initialized) {
        MPI_T_finalize();
    }
    memset(&pvars, 0, sizeof(pvars));
}

irr_bench_counts_t irr_bench_pvars_read(void)
{
    irr_bench_counts_t counts = { { 0 } };

    for (int i = 0; i < IRR_BENCH_COUNTERS; i++) {
        if (pvars.counters[i].known) {
            MPI_T_pvar_read(pvars.session, pvars.counters[i].handle, &counts.value[i]);
        }
    }
    return counts;
}

/* ---- counts ---- */

void irr_bench_counts_add(irr_bench_counts_t *sum, const irr_bench_counts_t *before, const irr_bench_counts_t *after)
{
    for (int i = 0; i < IRR_BENCH_COUNTERS; i++) {
        sum->value[i] = pvars.counters[i].gauge ? after->value[i] : sum->value[i] + after->value[i] - before->value[i];
    }
}

double irr_bench_counts_share(const irr_bench_counts_t *sum, int i, int exchanges)
{
    if (!pvars.counters[i].known) {
        return -1;
    }
    return pvars.counters[i].gauge ? (double)sum->value[i] : (double)sum->value[i] / exchanges;
}

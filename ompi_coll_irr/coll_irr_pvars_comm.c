/*
 * coll_irr_pvars_comm.c - MPI_T performance variables of a communicator: what coll_irr_report tells, while the job
 * runs.
 *
 * Each is there for all collectives, and bound to a communicator.  What has to be measured is so from the first handle
 * on that a tool allocates for any of them; what the ranks agreed on while they choose is there in any case.
 */
#include "coll_irr_settings.h"
#include "coll_irr_team.h"
#include "coll_irr_tell.h"

#include "opal/mca/base/mca_base_pvar.h"

/* As the values of the parameters for algorithms are numbered. */
static int way_of(const mca_coll_irr_service_t *service)
{
    const int way = service->choice.way;
    int algorithm = MCA_COLL_IRR_HOST;

    if (service->state == MCA_COLL_IRR_SERVING) {
        algorithm = irr_algorithm_find(mca_coll_irr_serving(service));
    } else if (service->state == MCA_COLL_IRR_CHOOSING && way != service->host_way) {
        algorithm = service->candidates->open[way].row;
    }
    return mca_coll_irr_algorithm_value(algorithm);
}

/* What a variable is.  In its text, %s is the call.  What may become less is no counter. */
typedef struct kind {
    const char *name;
    const char *text;
    int         class;
    int         type;
    size_t      offset;    /* into the record */
} kind_t;

#define COUNTER MCA_BASE_PVAR_CLASS_COUNTER, MCA_BASE_VAR_TYPE_UNSIGNED_LONG_LONG
#define SIZE    MCA_BASE_PVAR_CLASS_SIZE, MCA_BASE_VAR_TYPE_UNSIGNED_LONG_LONG
#define SIGNED  MCA_BASE_PVAR_CLASS_GENERIC, MCA_BASE_VAR_TYPE_DOUBLE

static const kind_t kinds[] = {
    { "exchanges", "Number of calls of %s on the communicator since it is measured", COUNTER,
      offsetof(mca_coll_irr_row_t, exchanges) },
    { "ns", "Nanoseconds that these took this rank, without agreements", COUNTER, offsetof(mca_coll_irr_row_t, ns) },
    { "agreements", "Number of times that the ranks of the communicator agreed on what serves %s", COUNTER,
      offsetof(mca_coll_irr_row_t, agreements) },
    { "tried", "Number of algorithms tried for %s on the communicator", COUNTER, offsetof(mca_coll_irr_row_t, tried) },
    { "trial_exchanges", "Number of calls of %s in trials", COUNTER, offsetof(mca_coll_irr_row_t, trial_exchanges) },
    { "setup_ns", "Nanoseconds that agreements and preparations for %s on the communicator took this rank, and by "
      "which trials made calls longer (a gauge)", SIZE, offsetof(mca_coll_irr_row_t, setup_ns) },
    { "saved_ns", "Nanoseconds by which calls of %s on the communicator were shorter than Open MPI's own, as measured "
      "in trials; negative: longer (a gauge)", SIGNED, offsetof(mca_coll_irr_row_t, saved_ns) },
    { "saved_low_ns", "Nanoseconds of these for %s at least, by the samples of the trials (a gauge)", SIGNED,
      offsetof(mca_coll_irr_row_t, saved_low_ns) },
    { "saved_high_ns", "Nanoseconds of these for %s at most, by the samples of the trials (a gauge)", SIGNED,
      offsetof(mca_coll_irr_row_t, saved_high_ns) },
    { "speedup", "Time of Open MPI's own divided by that of the algorithm that serves %s now, by its last trial; 0: "
      "there was none, or Open MPI's own serves (a gauge)", SIGNED, offsetof(mca_coll_irr_row_t, speedup.max) },
    { "way", "", MCA_BASE_PVAR_CLASS_STATE, MCA_BASE_VAR_TYPE_INT, 0 }
};

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

/* And of which collective, blocking or nonblocking. */
typedef struct variable {
    const kind_t        *kind;
    int                  which;
    mca_coll_irr_form_t  form;
} variable_t;

enum { CALLS = 2 * MCA_COLL_IRR_COLLECTIVES };

static variable_t variables[CALLS * KINDS];

/* NULL: there was no such call yet. */
static const mca_coll_irr_service_t *service_of(mca_coll_irr_module_t *module, const variable_t *variable)
{
    const mca_coll_irr_series_t *series = module->nonblocking[variable->which];

    if (variable->form == MCA_COLL_IRR_BLOCKING) {
        return mca_coll_irr_service_called(module, variable->which);
    }
    return series != NULL ? &series->service : NULL;
}

/* From the record of a service; NULL: 0. */
static void read_kind(const kind_t *kind, const mca_coll_irr_service_t *service, void *value)
{
    mca_coll_irr_row_t record = { .ranks = 0 };
    const char *place = (const char *)&record + kind->offset;

    if (service != NULL) {
        mca_coll_irr_tally_record(service, &record);
    }
    if (kind->type == MCA_BASE_VAR_TYPE_INT) {
        *(int *)value = service != NULL ? way_of(service) : 0;
    } else if (kind->type == MCA_BASE_VAR_TYPE_UNSIGNED_LONG_LONG) {
        *(unsigned long long *)value = *(const uint64_t *)place;
    } else if (kind->offset == offsetof(mca_coll_irr_row_t, speedup.max)) {
        *(double *)value = record.speedup.max;
    } else {
        *(double *)value = (double)*(const int64_t *)place;
    }
}

/* Those of a communicator that is not ours, or is gone, are 0. */
static int get_value(const mca_base_pvar_t *pvar, void *value, void *object)
{
    const variable_t *variable = pvar->ctx;
    const mca_coll_irr_service_t *service = NULL;

    opal_mutex_lock(&mca_coll_irr_component.lock);
    for (mca_coll_irr_module_t *module = mca_coll_irr_component.modules; module != NULL; module = module->next) {
        if (object != NULL && module->comm == object) {
            service = service_of(module, variable);
        }
    }
    read_kind(variable->kind, service, value);
    opal_mutex_unlock(&mca_coll_irr_component.lock);
    return OPAL_SUCCESS;
}

/* Somebody wants to know. */
static int notify(mca_base_pvar_t *pvar, mca_base_pvar_event_t event, void *object, int *count)
{
    (void)pvar;
    (void)object;
    if (event == MCA_BASE_PVAR_HANDLE_BIND) {
        mca_coll_irr_component.measures = true;
        *count = 1;
    }
    return OPAL_SUCCESS;
}

/* Open MPI 4.1's ompi_info has no room for a text beside the names of an enumeration, and reads what is behind. */
static int register_one(variable_t *variable, mca_base_var_enum_t *ways)
{
    const mca_coll_irr_collective_t *collective = &mca_coll_irr_collectives[variable->which];
    const kind_t *kind = variable->kind;
    const bool is_way = kind->type == MCA_BASE_VAR_TYPE_INT;
    char name[64], text[192];

    snprintf(name, sizeof(name), "%s%s_%s", variable->form == MCA_COLL_IRR_NONBLOCKING ? "i" : "",
             collective->variable, kind->name);
    snprintf(text, sizeof(text), kind->text, collective->forms[variable->form].call);
    return mca_base_component_pvar_register(
        &mca_coll_irr_component.super.collm_version, name, is_way ? NULL : text, OPAL_INFO_LVL_4, kind->class,
        kind->type, is_way ? ways : NULL, MCA_BASE_VAR_BIND_MPI_COMM,
        MCA_BASE_PVAR_FLAG_READONLY | MCA_BASE_PVAR_FLAG_CONTINUOUS, get_value, NULL, notify, variable);
}

int mca_coll_irr_pvars_comm_register(void)
{
    mca_base_var_enum_t *ways;
    int result = mca_coll_irr_choice_enum(&mca_coll_irr_choices[MCA_COLL_IRR_ALLTOALL_ALGORITHM], "coll_irr_way",
                                          &ways);

    if (result != OPAL_SUCCESS) {
        return result;
    }
    for (int i = 0; i < CALLS * KINDS && result >= 0; i++) {
        const int call = i / KINDS, which = call % MCA_COLL_IRR_COLLECTIVES;
        const mca_coll_irr_form_t form = call == which ? MCA_COLL_IRR_BLOCKING : MCA_COLL_IRR_NONBLOCKING;

        variables[i] = (variable_t){ .kind = &kinds[i % KINDS], .which = which, .form = form };
        if (mca_coll_irr_collectives[which].forms[form].function != NULL) {
            result = register_one(&variables[i], ways);
        }
    }
    OBJ_RELEASE(ways);
    return result < 0 ? result : OMPI_SUCCESS;
}

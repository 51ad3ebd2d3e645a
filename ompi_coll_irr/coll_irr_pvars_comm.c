/*
 * coll_irr_pvars_comm.c - MPI_T performance variables of a communicator: what coll_irr_report tells, while the job runs.
 *
 * Each is there for both collectives, and bound to a communicator.  What has to be measured is so from the first handle
 * on that a tool allocates for any of them; what the ranks agreed on while they choose is there in any case.
 */
#include "coll_irr_settings.h"
#include "coll_irr_tell.h"

#include "opal/mca/base/mca_base_pvar.h"

typedef uint64_t (*read_t)(const mca_coll_irr_service_t *service);

static uint64_t read_exchanges(const mca_coll_irr_service_t *service)
{
    return service->row != NULL ? service->row->exchanges : 0;
}

static uint64_t read_ns(const mca_coll_irr_service_t *service)
{
    return service->row != NULL ? service->row->ns : 0;
}

static uint64_t read_agreements(const mca_coll_irr_service_t *service)
{
    return service->row != NULL ? service->row->agreements : 0;
}

static uint64_t read_tried(const mca_coll_irr_service_t *service)
{
    return (uint64_t)service->choice.tried;
}

static uint64_t read_trial_exchanges(const mca_coll_irr_service_t *service)
{
    return mca_coll_irr_tally_trial_exchanges(service);
}

/* As the values of the parameters for algorithms are numbered. */
static int way_of(const mca_coll_irr_service_t *service)
{
    const int way = service->choice.way;
    int algorithm = MCA_COLL_IRR_HOST;

    if (service->state == MCA_COLL_IRR_SERVING) {
        algorithm = irr_algorithm_find(irr_comm_algorithm(service->irr_comm));
    } else if (service->state == MCA_COLL_IRR_CHOOSING && way != 0) {
        algorithm = service->candidates->open[way].row;
    }
    return mca_coll_irr_algorithm_value(algorithm);
}

/* What a variable is, and of which collective. */
typedef struct variable {
    const char *name;
    const char *text;
    int         class;
    read_t      read;      /* NULL: the way */
    bool        alltoall;
} variable_t;

/* X(name, text, class, read).  What may become less is no counter. */
#define VARIABLES(X, call)                                                                                            \
    X("exchanges", "Number of calls of " call " on the communicator since it is measured", COUNTER, read_exchanges)   \
    X("ns", "Nanoseconds that these took this rank, without agreements", COUNTER, read_ns)                            \
    X("agreements", "Number of times that the ranks of the communicator agreed, since it is measured, on what "       \
      "serves " call, COUNTER, read_agreements)                                                                       \
    X("tried", "Number of ways tried for " call " on the communicator", COUNTER, read_tried)                          \
    X("trial_exchanges", "Number of calls of " call " in trials of ways", COUNTER, read_trial_exchanges)              \
    X("setup_ns", "Nanoseconds that agreements, opening ways and trials took on the communicator, for " call          \
      " (a gauge)", SIZE, mca_coll_irr_tally_setup_ns)                                                                \
    X("saved_ns", "Nanoseconds by which calls of " call " on the communicator were shorter than Open MPI's own, as "  \
      "measured in trials (a gauge)", SIZE, mca_coll_irr_tally_saved_ns)                                              \
    X("way", "", STATE, NULL)

#define ROW_V(name, text, class, read) { "alltoallv_" name, text, MCA_BASE_PVAR_CLASS_##class, read, false },
#define ROW_1(name, text, class, read) { "alltoall_" name, text, MCA_BASE_PVAR_CLASS_##class, read, true },
static variable_t variables[] = { VARIABLES(ROW_V, "MPI_Alltoallv") VARIABLES(ROW_1, "MPI_Alltoall") };
#undef ROW_V
#undef ROW_1

/* Those of a communicator that is not ours, or is gone, are 0. */
static int get_value(const mca_base_pvar_t *pvar, void *value, void *object)
{
    const variable_t *variable = pvar->ctx;
    uint64_t number = 0;
    int way = 0;

    opal_mutex_lock(&mca_coll_irr_component.lock);
    for (mca_coll_irr_module_t *module = mca_coll_irr_component.modules; module != NULL; module = module->next) {
        const mca_coll_irr_service_t *service = variable->alltoall ? &module->alltoall : &module->alltoallv;

        if (object != NULL && module->comm == object) {
            number = variable->read != NULL ? variable->read(service) : 0;
            way = way_of(service);
        }
    }
    opal_mutex_unlock(&mca_coll_irr_component.lock);
    if (variable->read != NULL) {
        *(unsigned long long *)value = number;
    } else {
        *(int *)value = way;
    }
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
    const bool is_way = variable->read == NULL;

    return mca_base_component_pvar_register(
        &mca_coll_irr_component.super.collm_version, variable->name, is_way ? NULL : variable->text, OPAL_INFO_LVL_4,
        variable->class,
        is_way ? MCA_BASE_VAR_TYPE_INT : MCA_BASE_VAR_TYPE_UNSIGNED_LONG_LONG, is_way ? ways : NULL,
        MCA_BASE_VAR_BIND_MPI_COMM, MCA_BASE_PVAR_FLAG_READONLY | MCA_BASE_PVAR_FLAG_CONTINUOUS, get_value, NULL,
        notify, variable);
}

int mca_coll_irr_pvars_comm_register(void)
{
    mca_base_var_enum_t *ways;
    int result = mca_coll_irr_choice_enum(&mca_coll_irr_choices[MCA_COLL_IRR_ALLTOALL], "coll_irr_way", &ways);

    if (result != OPAL_SUCCESS) {
        return result;
    }
    for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]) && result >= 0; i++) {
        result = register_one(&variables[i], ways);
    }
    OBJ_RELEASE(ways);
    return result < 0 ? result : OMPI_SUCCESS;
}

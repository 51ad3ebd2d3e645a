/*
 * coll_irr_pvars.c - MPI_T performance variables: one for each counter of the engine, and one for each field of the
 * records of collectives (coll_irr_record.h).
 *
 * A variable of a collective is bound to a communicator.  Calls are counted and timed from the first handle for such a
 * variable on; agreements and trials are always counted.
 */
#include "coll_irr_engine.h"
#include "coll_irr_settings.h"
#include "coll_irr_statistics.h"
#include "coll_irr_team.h"

#include "opal/mca/base/mca_base_pvar.h"

#include <math.h>

#define FLAGS (MCA_BASE_PVAR_FLAG_READONLY | MCA_BASE_PVAR_FLAG_CONTINUOUS)

/*
 * A variable with "(a gauge)" in its description is a current value or a maximum, and has the class SIZE.  Any other
 * variable is a total, and has the class COUNTER.
 */
static int class_of(const char *text)
{
    return strstr(text, "(a gauge)") != NULL ? MCA_BASE_PVAR_CLASS_SIZE : MCA_BASE_PVAR_CLASS_COUNTER;
}

/* ---- counters of the engine ---- */

typedef struct counter {
    const char *name, *text;
    size_t      offset;   /* into irr_counters_t */
} counter_t;

#define COUNTER_ROW(field, text) { #field, text, offsetof(irr_counters_t, field) },
static counter_t counters[] = { IRR_COUNTERS_MAP(COUNTER_ROW) };
#undef COUNTER_ROW

static int get_counter(const mca_base_pvar_t *pvar, void *value, void *object)
{
    const counter_t *counter = pvar->ctx;
    irr_counters_t all;

    (void)object;
    mca_coll_irr_counters(&all);
    *(unsigned long long *)value = *(const uint64_t *)((const char *)&all + counter->offset);
    return OPAL_SUCCESS;
}

static int add_counter(counter_t *counter)
{
    return mca_base_component_pvar_register(
        &mca_coll_irr_component.super.collm_version, counter->name, counter->text, OPAL_INFO_LVL_4,
        class_of(counter->text), MCA_BASE_VAR_TYPE_UNSIGNED_LONG_LONG, NULL, MCA_BASE_VAR_BIND_NO_OBJECT, FLAGS,
        get_counter, NULL, NULL, counter);
}

/* ---- fields of records ---- */

/* A field of the record of a collective's blocking or nonblocking calls. */
typedef struct variable {
    int                 field, which;
    mca_coll_irr_form_t form;
} variable_t;

enum { CALLS = 2 * MCA_COLL_IRR_COLLECTIVES };

static variable_t variables[CALLS * MCA_COLL_IRR_FIELDS];

/* NULL: the collective was not called yet. */
static const mca_coll_irr_service_t *service_of(mca_coll_irr_module_t *module, const variable_t *variable)
{
    const mca_coll_irr_class_t *class = module->nonblocking[variable->which];

    if (variable->form == MCA_COLL_IRR_BLOCKING) {
        return mca_coll_irr_service_called(module, variable->which);
    }
    return class != NULL ? &class->service : NULL;
}

static bool is_double(mca_coll_irr_unit_t unit)
{
    return unit == MCA_COLL_IRR_SIGNED_NS || unit == MCA_COLL_IRR_LOW_NS || unit == MCA_COLL_IRR_RATIO;
}

/* The value is 0 if the communicator was freed or has no module of coll/irr. */
static int get_field(const mca_base_pvar_t *pvar, void *value, void *object)
{
    const variable_t *variable = pvar->ctx;
    const mca_coll_irr_unit_t unit = mca_coll_irr_fields[variable->field].unit;
    const mca_coll_irr_service_t *service = NULL;
    mca_coll_irr_record_t record = { .ranks = 0 };
    double values[MCA_COLL_IRR_FIELDS], known;

    opal_mutex_lock(&mca_coll_irr_component.lock);
    for (mca_coll_irr_module_t *module = mca_coll_irr_component.modules; module != NULL; module = module->next) {
        if (object != NULL && module->comm == object) {
            service = service_of(module, variable);
        }
    }
    if (service != NULL) {
        mca_coll_irr_stats_record(service, &record);
    }
    opal_mutex_unlock(&mca_coll_irr_component.lock);
    mca_coll_irr_record_values(&record, values);
    known = isnan(values[variable->field]) ? 0 : values[variable->field];
    if (unit == MCA_COLL_IRR_NAME) {
        *(int *)value = (int)known;
    } else if (is_double(unit)) {
        *(double *)value = known;
    } else {
        *(unsigned long long *)value = (unsigned long long)known;
    }
    return OPAL_SUCCESS;
}

/* Starts the measurement when a tool binds a handle to a communicator. */
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

/*
 * A variable with an enumeration has no text: ompi_info of Open MPI 4.1 has no room for both, and would read beyond its
 * buffer.
 */
static int add_field(variable_t *variable, mca_base_var_enum_t *algorithms)
{
    const mca_coll_irr_collective_t *collective = &mca_coll_irr_collectives[variable->which];
    const mca_coll_irr_field_t *field = &mca_coll_irr_fields[variable->field];
    const bool is_name = field->unit == MCA_COLL_IRR_NAME;
    int type = MCA_BASE_VAR_TYPE_UNSIGNED_LONG_LONG, class;
    char name[64], text[192] = "";

    snprintf(name, sizeof(name), "%s%s_%s", variable->form == MCA_COLL_IRR_NONBLOCKING ? "i" : "", collective->variable,
             field->variable);
    snprintf(text, sizeof(text), is_name ? "%s" : field->text, collective->forms[variable->form].call);
    class = class_of(text);
    if (is_name) {
        type = MCA_BASE_VAR_TYPE_INT;
        class = MCA_BASE_PVAR_CLASS_STATE;
    } else if (is_double(field->unit)) {
        type = MCA_BASE_VAR_TYPE_DOUBLE;
        class = MCA_BASE_PVAR_CLASS_GENERIC;
    }
    return mca_base_component_pvar_register(
        &mca_coll_irr_component.super.collm_version, name, is_name ? NULL : text, OPAL_INFO_LVL_4, class, type,
        is_name ? algorithms : NULL, MCA_BASE_VAR_BIND_MPI_COMM, FLAGS, get_field, NULL, notify, variable);
}

int mca_coll_irr_pvars_register(void)
{
    mca_base_var_enum_t *algorithms;
    int result = mca_coll_irr_setting_enum(mca_coll_irr_setting("alltoall_algorithm")->row, "coll_irr_strategy",
                                          &algorithms);

    if (result != OPAL_SUCCESS) {
        return result;
    }
    for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]) && result >= 0; i++) {
        result = add_counter(&counters[i]);
    }
    for (int i = 0; i < CALLS * MCA_COLL_IRR_FIELDS && result >= 0; i++) {
        const int call = i / MCA_COLL_IRR_FIELDS, which = call % MCA_COLL_IRR_COLLECTIVES;
        const mca_coll_irr_form_t form = call == which ? MCA_COLL_IRR_BLOCKING : MCA_COLL_IRR_NONBLOCKING;

        variables[i] = (variable_t){ .field = i % MCA_COLL_IRR_FIELDS, .which = which, .form = form };
        if (mca_coll_irr_fields[variables[i].field].variable != NULL &&
            mca_coll_irr_collectives[which].forms[form].function != NULL) {
            result = add_field(&variables[i], algorithms);
        }
    }
    OBJ_RELEASE(algorithms);
    return result < 0 ? result : OMPI_SUCCESS;
}

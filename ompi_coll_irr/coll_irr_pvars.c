/*
 * coll_irr_pvars.c - the engine's counters as MPI_T performance variables, one for each row of its table.
 */
#include "coll_irr_engine.h"

#include "opal/mca/base/mca_base_pvar.h"

typedef struct row {
    const char *name;
    const char *text;
    size_t      offset;   /* into irr_counters_t */
} row_t;

#define COUNTER_ROW(field, text) { #field, text, offsetof(irr_counters_t, field) },
static row_t rows[] = { IRR_COUNTERS_MAP(COUNTER_ROW) };
#undef COUNTER_ROW

static int get_value(const mca_base_pvar_t *pvar, void *value, void *object)
{
    const row_t *row = pvar->ctx;
    irr_counters_t counters;

    (void)object;
    mca_coll_irr_counters(&counters);
    *(unsigned long long *)value = *(const uint64_t *)((const char *)&counters + row->offset);
    return OPAL_SUCCESS;
}

/* A gauge goes up and down, so its class must not promise that it only grows. */
static int class_of(const row_t *row)
{
    switch (row->offset) {
    case offsetof(irr_counters_t, largest_message): return MCA_BASE_PVAR_CLASS_SIZE;
    case offsetof(irr_counters_t, scratch_bytes):   return MCA_BASE_PVAR_CLASS_SIZE;
    case offsetof(irr_counters_t, endpoints_open):  return MCA_BASE_PVAR_CLASS_SIZE;
    default:                                        return MCA_BASE_PVAR_CLASS_COUNTER;
    }
}

int mca_coll_irr_pvars_register(void)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        int index = mca_base_component_pvar_register(
            &mca_coll_irr_component.super.collm_version, rows[i].name, rows[i].text, OPAL_INFO_LVL_4,
            class_of(&rows[i]), MCA_BASE_VAR_TYPE_UNSIGNED_LONG_LONG, NULL, MCA_BASE_VAR_BIND_NO_OBJECT,
            MCA_BASE_PVAR_FLAG_READONLY | MCA_BASE_PVAR_FLAG_CONTINUOUS, get_value, NULL, NULL, &rows[i]);

        if (index < 0) {
            return index;
        }
    }
    return OMPI_SUCCESS;
}

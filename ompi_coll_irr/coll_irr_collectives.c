/*
 * coll_irr_collectives.c - the functions and modules that served the collectives of a communicator before ours.
 */
#include "coll_irr_collectives.h"

static const mca_coll_irr_entry_t *entry_at(int which, int form)
{
    return &mca_coll_irr_collectives[which].forms[form];
}

bool mca_coll_irr_offers(const mca_coll_base_module_t *module, int which)
{
    const size_t offset = entry_at(which, MCA_COLL_IRR_BLOCKING)->in_module;
    mca_coll_irr_function_t function;

    memcpy(&function, (const char *)module + offset, sizeof(function));
    return function != NULL;
}

/* Returns true if the module of a row is retained for this row, and not for the row above. */
static bool retains(mca_coll_irr_all_previous_t previous, int which, int form)
{
    const mca_coll_base_module_t *module = previous[which][form].module;

    return module != NULL && (which == 0 || previous[which - 1][form].module != module);
}

void mca_coll_irr_previous_keep(mca_coll_irr_all_previous_t previous, const mca_coll_base_comm_coll_t *serving,
                                mca_coll_base_module_t *module)
{
    for (int which = 0; which < MCA_COLL_IRR_COLLECTIVES; which++) {
        for (int form = 0; form < MCA_COLL_IRR_FORMS; form++) {
            const mca_coll_irr_entry_t *entry = entry_at(which, form);
            mca_coll_irr_previous_t *served = &previous[which][form];

            memcpy(&served->function, (const char *)serving + entry->in_comm, sizeof(served->function));
            if (served->function == NULL) {
                continue;
            }
            memcpy(&served->module, (const char *)serving + entry->in_comm_module, sizeof(served->module));
            if (retains(previous, which, form)) {
                OBJ_RETAIN(served->module);
            }
            memcpy((char *)module + entry->in_module, &entry->function, sizeof(entry->function));
        }
    }
}

void mca_coll_irr_previous_drop(mca_coll_irr_all_previous_t previous)
{
    for (int which = 0; which < MCA_COLL_IRR_COLLECTIVES; which++) {
        for (int form = 0; form < MCA_COLL_IRR_FORMS; form++) {
            if (retains(previous, which, form)) {
                mca_coll_base_module_t *module = previous[which][form].module;

                OBJ_RELEASE(module);   /* sets its argument to NULL */
            }
        }
    }
}

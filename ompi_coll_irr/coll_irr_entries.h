/*
 * coll_irr_entries.h - the functions in the table of collectives: what Open MPI calls, and what calls those who served
 * before us.
 */
#ifndef MCA_COLL_IRR_ENTRIES_H
#define MCA_COLL_IRR_ENTRIES_H

#include "coll_irr_team.h"

/* ---- by the previous module, of a type ---- */

int mca_coll_irr_host_alltoall(const mca_coll_irr_previous_t *previous, ompi_communicator_t *comm,
                               const mca_coll_irr_call_t *call);
int mca_coll_irr_host_alltoallv(const mca_coll_irr_previous_t *previous, ompi_communicator_t *comm,
                                const mca_coll_irr_call_t *call);
int mca_coll_irr_host_ialltoall(const mca_coll_irr_previous_t *previous, ompi_communicator_t *comm,
                                const mca_coll_irr_call_t *call, ompi_request_t **request_p);
int mca_coll_irr_host_ialltoallv(const mca_coll_irr_previous_t *previous, ompi_communicator_t *comm,
                                 const mca_coll_irr_call_t *call, ompi_request_t **request_p);
int mca_coll_irr_host_alltoall_init(const mca_coll_irr_previous_t *previous, ompi_communicator_t *comm,
                                    const mca_coll_irr_call_t *call, ompi_info_t *info, ompi_request_t **request_p);
int mca_coll_irr_host_alltoallv_init(const mca_coll_irr_previous_t *previous, ompi_communicator_t *comm,
                                     const mca_coll_irr_call_t *call, ompi_info_t *info, ompi_request_t **request_p);

int mca_coll_irr_host_alltoallw(const mca_coll_irr_previous_t *previous, ompi_communicator_t *comm,
                                const mca_coll_irr_call_t *call);
int mca_coll_irr_host_neighbor_alltoallw(const mca_coll_irr_previous_t *previous, ompi_communicator_t *comm,
                                         const mca_coll_irr_call_t *call);
int mca_coll_irr_host_alltoallw_init(const mca_coll_irr_previous_t *previous, ompi_communicator_t *comm,
                                     const mca_coll_irr_call_t *call, ompi_info_t *info, ompi_request_t **request_p);
int mca_coll_irr_host_neighbor_alltoallw_init(const mca_coll_irr_previous_t *previous, ompi_communicator_t *comm,
                                              const mca_coll_irr_call_t *call, ompi_info_t *info,
                                              ompi_request_t **request_p);

int mca_coll_irr_host_ialltoallw(const mca_coll_irr_previous_t *previous, ompi_communicator_t *comm,
                                 const mca_coll_irr_call_t *call, ompi_request_t **request_p);
int mca_coll_irr_host_ineighbor_alltoallw(const mca_coll_irr_previous_t *previous, ompi_communicator_t *comm,
                                          const mca_coll_irr_call_t *call, ompi_request_t **request_p);

/*
 * Who served before us, if a blocking call of a collective goes to them as it is: what is left to Open MPI, by the
 * ranks or by what they have found so far, while nobody times it or counts it.  Most calls of most programs are such,
 * so this comes before all else, and looks at little.  NULL: mca_coll_irr_call.
 */
static inline const mca_coll_irr_previous_t *mca_coll_irr_left_to(mca_coll_base_module_t *base,
                                                                  mca_coll_irr_which_t which)
{
    mca_coll_irr_module_t *module = (mca_coll_irr_module_t *)base;
    mca_coll_irr_service_t *service;
    bool left;

    if (!module->called[which] || mca_coll_irr_component.measures) {
        return NULL;
    }
    service = mca_coll_irr_team_service(module->team, which);
    left = service->state == MCA_COLL_IRR_CHOOSING
               ? service->choice.way == service->host_way && irr_choice_goes_on(&service->choice)
               : service->state == MCA_COLL_IRR_DECLINED;
    return left ? &module->previous[which][MCA_COLL_IRR_BLOCKING] : NULL;
}

/* ---- a side as MPI gives it ---- */

static inline void mca_coll_irr_set_uniform(mca_coll_irr_side_t *side, const void *buffer,
                                            mca_coll_irr_one_count_t count, ompi_datatype_t *datatype)
{
    *side = (mca_coll_irr_side_t){
        .buffer = (void *)buffer, .uniform = true, .count = (size_t)count, .datatype = datatype };
}

/* With one datatype, or one for each rank and displacements in bytes; the other is NULL. */
static inline void mca_coll_irr_set_counts(mca_coll_irr_side_t *side, const void *buffer, mca_coll_irr_counts_t counts,
                                           mca_coll_irr_displs_t displs, ompi_datatype_t *datatype,
                                           ompi_datatype_t *const *datatypes)
{
    *side = (mca_coll_irr_side_t){
        .buffer = (void *)buffer, .counts = counts, .displs = displs, .datatype = datatype, .datatypes = datatypes };
}

static inline void mca_coll_irr_set_offsets(mca_coll_irr_side_t *side, const void *buffer, mca_coll_irr_counts_t counts,
                                            mca_coll_irr_offsets_t offsets, ompi_datatype_t *const *datatypes)
{
    *side = (mca_coll_irr_side_t){
        .buffer = (void *)buffer, .far = true, .counts = counts, .offsets = offsets, .datatypes = datatypes };
}

/* ---- entries ---- */

int mca_coll_irr_alltoall(const void *sbuf, mca_coll_irr_one_count_t scount, ompi_datatype_t *sdtype, void *rbuf,
                          mca_coll_irr_one_count_t rcount, ompi_datatype_t *rdtype, ompi_communicator_t *comm,
                          mca_coll_base_module_t *module);

int mca_coll_irr_alltoallv(const void *sbuf, mca_coll_irr_counts_t scounts, mca_coll_irr_displs_t sdispls,
                           ompi_datatype_t *sdtype, void *rbuf, mca_coll_irr_counts_t rcounts,
                           mca_coll_irr_displs_t rdispls, ompi_datatype_t *rdtype, ompi_communicator_t *comm,
                           mca_coll_base_module_t *module);

int mca_coll_irr_ialltoall(const void *sbuf, mca_coll_irr_one_count_t scount, ompi_datatype_t *sdtype, void *rbuf,
                           mca_coll_irr_one_count_t rcount, ompi_datatype_t *rdtype, ompi_communicator_t *comm,
                           ompi_request_t **request_p, mca_coll_base_module_t *module);

int mca_coll_irr_ialltoallv(const void *sbuf, mca_coll_irr_counts_t scounts, mca_coll_irr_displs_t sdispls,
                            ompi_datatype_t *sdtype, void *rbuf, mca_coll_irr_counts_t rcounts,
                            mca_coll_irr_displs_t rdispls, ompi_datatype_t *rdtype, ompi_communicator_t *comm,
                            ompi_request_t **request_p, mca_coll_base_module_t *module);

int mca_coll_irr_alltoallv_init(const void *sbuf, mca_coll_irr_counts_t scounts, mca_coll_irr_displs_t sdispls,
                                ompi_datatype_t *sdtype, void *rbuf, mca_coll_irr_counts_t rcounts,
                                mca_coll_irr_displs_t rdispls, ompi_datatype_t *rdtype, ompi_communicator_t *comm,
                                ompi_info_t *info, ompi_request_t **request_p, mca_coll_base_module_t *module);

int mca_coll_irr_alltoallw(const void *sbuf, mca_coll_irr_counts_t scounts, mca_coll_irr_displs_t sdispls,
                           ompi_datatype_t *const *sdtypes, void *rbuf, mca_coll_irr_counts_t rcounts,
                           mca_coll_irr_displs_t rdispls, ompi_datatype_t *const *rdtypes, ompi_communicator_t *comm,
                           mca_coll_base_module_t *module);

int mca_coll_irr_neighbor_alltoall(const void *sbuf, mca_coll_irr_one_count_t scount, ompi_datatype_t *sdtype,
                                   void *rbuf, mca_coll_irr_one_count_t rcount, ompi_datatype_t *rdtype,
                                   ompi_communicator_t *comm, mca_coll_base_module_t *module);

int mca_coll_irr_neighbor_alltoallv(const void *sbuf, mca_coll_irr_counts_t scounts, mca_coll_irr_displs_t sdispls,
                                    ompi_datatype_t *sdtype, void *rbuf, mca_coll_irr_counts_t rcounts,
                                    mca_coll_irr_displs_t rdispls, ompi_datatype_t *rdtype,
                                    ompi_communicator_t *comm, mca_coll_base_module_t *module);

int mca_coll_irr_neighbor_alltoallw(const void *sbuf, mca_coll_irr_counts_t scounts, mca_coll_irr_offsets_t sdispls,
                                    ompi_datatype_t *const *sdtypes, void *rbuf, mca_coll_irr_counts_t rcounts,
                                    mca_coll_irr_offsets_t rdispls, ompi_datatype_t *const *rdtypes,
                                    ompi_communicator_t *comm, mca_coll_base_module_t *module);

int mca_coll_irr_alltoall_init(const void *sbuf, mca_coll_irr_one_count_t scount, ompi_datatype_t *sdtype, void *rbuf,
                               mca_coll_irr_one_count_t rcount, ompi_datatype_t *rdtype, ompi_communicator_t *comm,
                               ompi_info_t *info, ompi_request_t **request_p, mca_coll_base_module_t *module);

int mca_coll_irr_alltoallw_init(const void *sbuf, mca_coll_irr_counts_t scounts, mca_coll_irr_displs_t sdispls,
                                ompi_datatype_t *const *sdtypes, void *rbuf, mca_coll_irr_counts_t rcounts,
                                mca_coll_irr_displs_t rdispls, ompi_datatype_t *const *rdtypes,
                                ompi_communicator_t *comm, ompi_info_t *info, ompi_request_t **request_p,
                                mca_coll_base_module_t *module);

int mca_coll_irr_neighbor_alltoall_init(const void *sbuf, mca_coll_irr_one_count_t scount, ompi_datatype_t *sdtype,
                                        void *rbuf, mca_coll_irr_one_count_t rcount, ompi_datatype_t *rdtype,
                                        ompi_communicator_t *comm, ompi_info_t *info, ompi_request_t **request_p,
                                        mca_coll_base_module_t *module);

int mca_coll_irr_neighbor_alltoallv_init(const void *sbuf, mca_coll_irr_counts_t scounts,
                                         mca_coll_irr_displs_t sdispls, ompi_datatype_t *sdtype, void *rbuf,
                                         mca_coll_irr_counts_t rcounts, mca_coll_irr_displs_t rdispls,
                                         ompi_datatype_t *rdtype, ompi_communicator_t *comm, ompi_info_t *info,
                                         ompi_request_t **request_p, mca_coll_base_module_t *module);

int mca_coll_irr_neighbor_alltoallw_init(const void *sbuf, mca_coll_irr_counts_t scounts,
                                         mca_coll_irr_offsets_t sdispls, ompi_datatype_t *const *sdtypes, void *rbuf,
                                         mca_coll_irr_counts_t rcounts, mca_coll_irr_offsets_t rdispls,
                                         ompi_datatype_t *const *rdtypes, ompi_communicator_t *comm,
                                         ompi_info_t *info, ompi_request_t **request_p,
                                         mca_coll_base_module_t *module);

int mca_coll_irr_ialltoallw(const void *sbuf, mca_coll_irr_counts_t scounts, mca_coll_irr_displs_t sdispls,
                            ompi_datatype_t *const *sdtypes, void *rbuf, mca_coll_irr_counts_t rcounts,
                            mca_coll_irr_displs_t rdispls, ompi_datatype_t *const *rdtypes, ompi_communicator_t *comm,
                            ompi_request_t **request_p, mca_coll_base_module_t *module);

int mca_coll_irr_ineighbor_alltoall(const void *sbuf, mca_coll_irr_one_count_t scount, ompi_datatype_t *sdtype,
                                    void *rbuf, mca_coll_irr_one_count_t rcount, ompi_datatype_t *rdtype,
                                    ompi_communicator_t *comm, ompi_request_t **request_p,
                                    mca_coll_base_module_t *module);

int mca_coll_irr_ineighbor_alltoallv(const void *sbuf, mca_coll_irr_counts_t scounts, mca_coll_irr_displs_t sdispls,
                                     ompi_datatype_t *sdtype, void *rbuf, mca_coll_irr_counts_t rcounts,
                                     mca_coll_irr_displs_t rdispls, ompi_datatype_t *rdtype,
                                     ompi_communicator_t *comm, ompi_request_t **request_p,
                                     mca_coll_base_module_t *module);

int mca_coll_irr_ineighbor_alltoallw(const void *sbuf, mca_coll_irr_counts_t scounts, mca_coll_irr_offsets_t sdispls,
                                     ompi_datatype_t *const *sdtypes, void *rbuf, mca_coll_irr_counts_t rcounts,
                                     mca_coll_irr_offsets_t rdispls, ompi_datatype_t *const *rdtypes,
                                     ompi_communicator_t *comm, ompi_request_t **request_p,
                                     mca_coll_base_module_t *module);

#endif

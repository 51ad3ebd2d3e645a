/*
 * coll_irr_memory.h - the lessons of this process: from trials of this job, and from coll_irr_memory_file.
 */
#ifndef MCA_COLL_IRR_MEMORY_H
#define MCA_COLL_IRR_MEMORY_H

#include "coll_irr.h"

/* Returns whether a file is given, alike on all ranks.  If so, the ranks first agree after the first exchange. */
bool mca_coll_irr_memory_is_given(void);

/* Returns whether this process knows any lesson.  The first call reads the file.  Local. */
bool mca_coll_irr_memory_is_there(void);

/* Fills this rank's words for a list of strategies in the situation of a service.  Local. */
void mca_coll_irr_memory_words(const mca_coll_irr_service_t *service, const irr_candidate_t *list, int count,
                               uint64_t words[IRR_LESSONS_WORDS]);

/* Records the speedup of a strategy over Open MPI's own in a trial.  Local. */
void mca_coll_irr_memory_learn(const mca_coll_irr_service_t *service, const char *way, const irr_speedup_t *speedup);

/* Records the end of a service of a team or a series; a second call does nothing.  Local. */
void mca_coll_irr_memory_lived(mca_coll_irr_service_t *service);

/* Merges the lessons of process 0 into the file.  In MPI_Finalize, after the end of all services. */
void mca_coll_irr_memory_end(void);

/* With the component. */
void mca_coll_irr_memory_close(void);

#endif

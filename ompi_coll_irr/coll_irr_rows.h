/*
 * coll_irr_rows.h - numbers as the user reads them.  Knows nothing of Open MPI.
 */
#ifndef MCA_COLL_IRR_ROWS_H
#define MCA_COLL_IRR_ROWS_H

#include <stdint.h>

/* Room for a number with its unit. */
#define MCA_COLL_IRR_UNITS 16

/* Two digits, or all before the point, with a unit: 12 B, 2.1 kB, 410 kB; powers of 1000. */
void mca_coll_irr_bytes_text(uint64_t bytes, char text[MCA_COLL_IRR_UNITS]);

/* The same: 830 ns, 2.1 us, 41 ms, 3.0 s. */
void mca_coll_irr_time_text(uint64_t ns, char text[MCA_COLL_IRR_UNITS]);

#endif

/*
 * coll_irr_rows.h - what a job did, as rows of a table: numbers as the user reads them, and as JSON.
 *
 * A row is a collective of a communicator, or of several.  Each rank has rows of its own, of what it has measured; rank
 * 0 of the job joins them.  A table has a bounded number of rows: what finds no room in it goes with one of its kind.
 *
 * Pure; knows nothing of Open MPI.  A row has no pointers and travels as it is, between processes of equal machines.
 */
#ifndef MCA_COLL_IRR_ROWS_H
#define MCA_COLL_IRR_ROWS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* ---- numbers ---- */

/* Room for a number with its unit. */
#define MCA_COLL_IRR_UNITS 16

/* Two digits, or all before the point, with a unit: 12 B, 2.1 kB, 410 kB; powers of 1000. */
void mca_coll_irr_bytes_text(uint64_t bytes, char text[MCA_COLL_IRR_UNITS]);

/* The same: 830 ns, 2.1 us, 41 ms, 3.0 s. */
void mca_coll_irr_time_text(uint64_t ns, char text[MCA_COLL_IRR_UNITS]);

/* ---- rows ---- */

enum { MCA_COLL_IRR_ROW_WAYS = 8 };

/* A way that was tried; its time is a part of that of Open MPI's own. */
typedef struct mca_coll_irr_tried_t {
    char   way[64];
    double ratio;
} mca_coll_irr_tried_t;

typedef struct mca_coll_irr_row_t {
    char     name[64];        /* of the communicator */
    char     call[32];
    char     way[96];         /* that exchanges went in the end */
    char     why[272];        /* a part of a sentence; empty: not known */
    int32_t  ranks, nodes;    /* 0: they differ, or are not known */
    uint64_t communicators;   /* of this row, and their exchanges; counted by rank 0 of each */
    uint64_t exchanges;
    uint64_t room;            /* messages to others that there could have been, */
    uint64_t messages;        /* and that were not empty */
    uint64_t bytes;           /* of these */
    uint64_t longest;
    uint64_t ns;              /* in exchanges */
    uint64_t setup_ns;        /* in what came before and in agreements, and by which trials made exchanges longer */
    uint64_t saved_ns;        /* against Open MPI's own, as measured in trials */
    uint64_t agreements;
    uint64_t tried;           /* ways, */
    uint64_t trial_exchanges; /* in so many */
    int32_t  ways;            /* the best of them, or those tried last */
    mca_coll_irr_tried_t list[MCA_COLL_IRR_ROW_WAYS];
} mca_coll_irr_row_t;

/* A way of a trial; once more, or in place of the worst if there is no room. */
void mca_coll_irr_row_tried(mca_coll_irr_row_t *row, const char *way, double ratio);

/* Is a row that came from elsewhere safe to read? */
bool mca_coll_irr_row_is_sound(const mca_coll_irr_row_t *row);

/* ---- tables ---- */

enum { MCA_COLL_IRR_ROWS = 64 };

typedef struct mca_coll_irr_table_t {
    int                count;
    mca_coll_irr_row_t rows[MCA_COLL_IRR_ROWS];
} mca_coll_irr_table_t;

/*
 * Adds a row to the one of the same name, collective and number of ranks, if there is one.  When few are left room for,
 * to one of the same collective and ranks, else to a last one for all others.  A row of this rank adds its times; that
 * of another rank, which was there at the same time, counts if its times are longer.
 */
void mca_coll_irr_table_add(mca_coll_irr_table_t *table, const mca_coll_irr_row_t *row, bool of_this_rank);

/* Longest time in exchanges first. */
void mca_coll_irr_table_sort(mca_coll_irr_table_t *table);

/* What is told of the job. */
typedef struct mca_coll_irr_job_t {
    const char *version;      /* of coll/irr */
    int         ranks;
    int         told;         /* ranks whose rows are in the table */
} mca_coll_irr_job_t;

/* Errors are those of the stream. */
void mca_coll_irr_table_print(const mca_coll_irr_table_t *table, const mca_coll_irr_job_t *job, FILE *stream);
void mca_coll_irr_table_json(const mca_coll_irr_table_t *table, const mca_coll_irr_job_t *job, FILE *stream);

#endif

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
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- numbers ---- */

/* Room for a number with its unit. */
#define MCA_COLL_IRR_UNITS 16

/* Two digits, or all before the point, with a unit: 12 B, 2.1 kB, 410 kB; powers of 1000. */
void mca_coll_irr_bytes_text(uint64_t bytes, char text[MCA_COLL_IRR_UNITS]);

/* The same: 830 ns, 2.1 us, 41 ms, -3.0 s. */
void mca_coll_irr_time_text(int64_t ns, char text[MCA_COLL_IRR_UNITS]);

/* ---- rows ---- */

enum { MCA_COLL_IRR_ROW_WAYS = 8 };

/* Of speedups over Open MPI's own: its time divided by that of a strategy.  max 0: there are none. */
typedef struct mca_coll_irr_range_t {
    double min, max;
} mca_coll_irr_range_t;

/* A strategy that was tried, and the speedups that its trials have found. */
typedef struct mca_coll_irr_tried_t {
    char                 way[64];
    uint64_t             trials;
    mca_coll_irr_range_t speedup;
} mca_coll_irr_tried_t;

/*
 * Of what serves in the end the text and the cause, then sums over communicators, and the ranges that these span.
 * Numbers of calls and trials are counted by rank 0 of each communicator, messages by all ranks.  Times are those that
 * this rank has measured, and the sums over its communicators.
 */
typedef struct mca_coll_irr_row_t {
    char     name[64];        /* of the communicator */
    char     call[32];
    char     way[96];         /* that exchanges went in the end */
    char     why[272];        /* its cause, a part of a sentence */
    int32_t  similar;         /* the other communicators have the same cause with other numbers */
    int32_t  saves;           /* it is known what was saved */
    int32_t  ranks, nodes;    /* 0: they differ, or are not known */
    uint64_t communicators;
    uint64_t exchanges;
    uint64_t room;            /* messages to others that there could have been, */
    uint64_t messages;        /* and that were not empty */
    uint64_t bytes;           /* of these */
    uint64_t longest;
    uint64_t ns;              /* in exchanges */
    uint64_t setup_ns;        /* in agreements and preparations, and by which trials made exchanges longer */
    int64_t  saved_ns;        /* against Open MPI's own, as measured in trials; negative: lost; */
    int64_t  saved_low_ns, saved_high_ns;   /* and the interval that the samples span */
    uint64_t agreements;
    uint64_t tried;           /* strategies, */
    uint64_t trial_exchanges; /* in so many */
    mca_coll_irr_range_t speedup;   /* of what serves in the end, */
    mca_coll_irr_range_t other;     /* and where Open MPI's own does, of the best other; each by its last trial */
    int32_t  ways;            /* the best that were tried */
    mca_coll_irr_tried_t list[MCA_COLL_IRR_ROW_WAYS];
} mca_coll_irr_row_t;

/* The most that a row tells of as saved or lost, in nanoseconds: three years. */
#define MCA_COLL_IRR_SAVED_MAX INT64_C(100000000000000000)

/* Trials of a strategy: added to those that the row has of it; without room in place of the slowest. */
void mca_coll_irr_row_tried(mca_coll_irr_row_t *row, const mca_coll_irr_tried_t *tried);

/* The cause as a user reads it: never empty; its speedup is the range over all communicators of the row. */
#define MCA_COLL_IRR_REASON 336
void mca_coll_irr_row_reason(const mca_coll_irr_row_t *row, char *text, size_t size);

/* Is a row that came from elsewhere safe to read? */
bool mca_coll_irr_row_is_sound(const mca_coll_irr_row_t *row);

/* ---- tables ---- */

enum { MCA_COLL_IRR_ROWS = 64 };

typedef struct mca_coll_irr_table_t {
    int                count;
    mca_coll_irr_row_t rows[MCA_COLL_IRR_ROWS];
} mca_coll_irr_table_t;

/*
 * Adds a row to the one of the same name, collective and number of ranks, if there is one.  When the table is nearly
 * full: to one of the same collective and ranks, else to a last one for all others.  Times of this rank are added.
 * Another rank was in the same exchanges: the time and what was saved are those of the rank with the longest time, and
 * set-up is that of the rank with the longest one.
 */
void mca_coll_irr_table_add(mca_coll_irr_table_t *table, const mca_coll_irr_row_t *row, bool of_this_rank);

/* Longest time in exchanges first. */
void mca_coll_irr_table_sort(mca_coll_irr_table_t *table);

/* The sum of all rows of a collective; NULL: of all rows. */
void mca_coll_irr_table_total(const mca_coll_irr_table_t *table, const char *call, mca_coll_irr_row_t *total);

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

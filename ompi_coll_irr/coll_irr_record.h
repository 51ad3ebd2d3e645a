/*
 * coll_irr_record.h - the record of a collective of a communicator.  MPI_T, coll_irr_report and the lines of
 * coll_irr_verbose read it.
 *
 * Each rank fills records of its own (coll_irr_statistics.c).  The report joins those of several communicators and of
 * all ranks in a table of bounded size: a record without room is added to another one of its kind.
 *
 * Pure; knows nothing of Open MPI.  A record has no pointers and travels as it is, between processes of equal machines.
 */
#ifndef MCA_COLL_IRR_RECORD_H
#define MCA_COLL_IRR_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- records ---- */

/* Speedups over Open MPI's own: its time divided by that of a strategy.  max 0: there are none. */
typedef struct mca_coll_irr_range_t {
    double min, max;
} mca_coll_irr_range_t;

/* A strategy that was tried, and the speedups that its trials found. */
typedef struct mca_coll_irr_tried_t {
    char                 strategy[96];
    uint64_t             trials;
    mca_coll_irr_range_t speedup;
} mca_coll_irr_tried_t;

enum { MCA_COLL_IRR_RECORD_STRATEGIES = 8 };

/*
 * Calls and trials are counted by rank 0 of each communicator, messages and bytes by all ranks.  Times are in
 * nanoseconds.
 */
typedef struct mca_coll_irr_record_t {
    char     name[64];         /* of the communicator */
    char     call[32];         /* name of the collective in MPI */
    char     strategy[96];     /* strategy that serves in the end, */
    char     why[272];         /* and the cause, as part of a sentence */
    int32_t  similar;          /* other communicators have the same cause with other numbers */
    int32_t  saves;            /* the time saved is known */
    int32_t  ranks, nodes;     /* 0: they differ, or are not known */
    int32_t  algorithm;        /* that serves now, as the values of the parameters are numbered */
    uint64_t communicators;
    uint64_t exchanges;
    uint64_t room;             /* messages to others that could have been sent, */
    uint64_t messages;         /* and those that were not empty */
    uint64_t bytes;            /* of these messages */
    uint64_t longest;          /* bytes of the longest message */
    uint64_t tried;            /* strategies in trials, */
    uint64_t trial_exchanges;  /* and exchanges */
    uint64_t agreements;
    uint64_t ns;               /* in exchanges */
    uint64_t setup_ns;         /* in agreements and preparations, and by which trials made exchanges longer */
    double   saved_ns;         /* relative to Open MPI's own, as measured in trials; negative: lost; */
    double   saved_low_ns, saved_high_ns;   /* its interval, from the spread of the samples */
    mca_coll_irr_range_t speedup;   /* of the strategy that serves in the end, by its last trial, */
    mca_coll_irr_range_t other;     /* and where Open MPI's own serves, of the best other */
    int32_t  strategies;       /* strategies in the list: the best that were tried */
    mca_coll_irr_tried_t list[MCA_COLL_IRR_RECORD_STRATEGIES];
} mca_coll_irr_record_t;

/* The longest time that a record may have, in nanoseconds: three years. */
#define MCA_COLL_IRR_NS_MAX 1e17

/* Adds trials of a strategy to the list; without room they replace the slowest one. */
void mca_coll_irr_record_tried(mca_coll_irr_record_t *record, const mca_coll_irr_tried_t *tried);

/* Returns whether a record that came from another process is safe to read. */
bool mca_coll_irr_record_is_sound(const mca_coll_irr_record_t *record);

/* ---- fields ---- */

typedef enum mca_coll_irr_unit_t {
    MCA_COLL_IRR_COUNT, MCA_COLL_IRR_BYTE, MCA_COLL_IRR_PART, MCA_COLL_IRR_RATIO, MCA_COLL_IRR_NS,
    MCA_COLL_IRR_SIGNED_NS,
    MCA_COLL_IRR_LOW_NS,      /* signed, the begin of an interval that ends with the next number */
    MCA_COLL_IRR_NAME         /* of an algorithm, as the values of the parameters are numbered */
} mca_coll_irr_unit_t;

/* A number of a record, and where it is written.  NULL: nowhere. */
typedef struct mca_coll_irr_field_t {
    mca_coll_irr_unit_t unit;
    const char         *json;      /* its key */
    const char         *column;    /* in the text of a report: its title, as wide as the column */
    const char         *variable;  /* end of the names of its MPI_T variables, */
    const char         *text;      /* and their description, in which %s is the call */
} mca_coll_irr_field_t;

/* In the order in which they are written. */
enum { MCA_COLL_IRR_FIELDS = 18 };
extern const mca_coll_irr_field_t mca_coll_irr_fields[MCA_COLL_IRR_FIELDS];

/* Sets the numbers of a record; NAN: not known. */
void mca_coll_irr_record_values(const mca_coll_irr_record_t *record, double values[MCA_COLL_IRR_FIELDS]);

/* ---- text ---- */

/* A number with its unit. */
typedef struct mca_coll_irr_size_t {
    char text[16];
} mca_coll_irr_size_t;

/* Two digits, or all before the point, with a unit: 12 B, 2.1 kB, 410 kB; powers of 1000. */
mca_coll_irr_size_t mca_coll_irr_bytes_text(double bytes);

/* The same for nanoseconds: 830 ns, 2.1 us, 41 ms, -3.0 s. */
mca_coll_irr_size_t mca_coll_irr_time_text(double ns);

/* "tried 2 algorithms in 40 exchanges"; empty: none was tried. */
#define MCA_COLL_IRR_TRIALS 80
void mca_coll_irr_record_trials(const mca_coll_irr_record_t *record, char text[MCA_COLL_IRR_TRIALS]);

/* The cause as a user reads it: never empty; its speedup is the range over all communicators of the record. */
#define MCA_COLL_IRR_REASON 336
void mca_coll_irr_record_reason(const mca_coll_irr_record_t *record, char *text, size_t size);

/* ---- tables ---- */

enum { MCA_COLL_IRR_RECORDS = 64 };

typedef struct mca_coll_irr_table_t {
    int                   count;
    mca_coll_irr_record_t records[MCA_COLL_IRR_RECORDS];
} mca_coll_irr_table_t;

/*
 * Adds a record to the one of the same name, collective and number of ranks, if there is one.  If the table is nearly
 * full: to one of the same collective and ranks, else to a last one for all others.  Times of this rank are added.
 * Another rank took part in the same exchanges: then the time and what was saved are those of the rank with the longest
 * time, and set-up is that of the rank with the longest one.
 */
void mca_coll_irr_table_add(mca_coll_irr_table_t *table, const mca_coll_irr_record_t *record, bool of_this_rank);

/* Longest time in exchanges first. */
void mca_coll_irr_table_sort(mca_coll_irr_table_t *table);

/* The job, as a report shows it. */
typedef struct mca_coll_irr_job_t {
    const char *version;      /* of coll/irr */
    int         ranks;
    int         reporting;    /* ranks whose records are in the table */
} mca_coll_irr_job_t;

/* Write a table, and the sums of its records for each collective and for the job.  Errors are those of the stream. */
void mca_coll_irr_table_print(const mca_coll_irr_table_t *table, const mca_coll_irr_job_t *job, FILE *stream);
void mca_coll_irr_table_json(const mca_coll_irr_table_t *table, const mca_coll_irr_job_t *job, FILE *stream);

/* Sets the sum of all records of a collective; NULL: of all records. */
void mca_coll_irr_table_total(const mca_coll_irr_table_t *table, const char *call, mca_coll_irr_record_t *total);

#endif

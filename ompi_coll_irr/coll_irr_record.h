/*
 * coll_irr_record.h - the record of a collective of a communicator: counts, times, and the results of trials.  MPI_T,
 * the report of a job (coll_irr_report) and the log (coll_irr_verbose) read records.
 *
 * A strategy is an algorithm with its settings, or Open MPI's implementation.  A trial compares times of strategies.
 * An exchange is a call of the collective.  In an agreement the ranks choose a strategy.  A speedup is Open MPI's time
 * divided by the time of a strategy.
 *
 * Each rank fills its own records (coll_irr_statistics.c).  The report merges the records of all communicators and
 * ranks into a table of bounded size.
 *
 * The functions are pure and do not use Open MPI.  A record contains no pointers, so processes on machines with equal
 * data formats send records to each other without conversion.
 */
#ifndef MCA_COLL_IRR_RECORD_H
#define MCA_COLL_IRR_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- records ---- */

/* A range of speedups. max is 0 if there is none. */
typedef struct mca_coll_irr_range_t {
    double min, max;
} mca_coll_irr_range_t;

/* A strategy, and the speedups that its trials measured. */
typedef struct mca_coll_irr_tried_t {
    char                 strategy[96];
    uint64_t             trials;
    mca_coll_irr_range_t speedup;
} mca_coll_irr_tried_t;

enum { MCA_COLL_IRR_RECORD_STRATEGIES = 8 };

/*
 * Rank 0 of each communicator counts calls and trials; all ranks count messages and bytes.  Times are in nanoseconds.
 */
typedef struct mca_coll_irr_record_t {
    char     name[64];         /* of the communicator */
    char     call[32];         /* name of the collective in MPI */
    char     strategy[96];     /* that serves calls at the end */
    char     why[272];         /* reason for `strategy`, as a clause */
    int32_t  similar;          /* 1: other communicators have the same reason, except for its numbers */
    int32_t  saves;            /* 1: saved_ns, saved_low_ns and saved_high_ns are estimated */
    int32_t  ranks, nodes;     /* 0: unknown, or different in the communicators of the record */
    int32_t  algorithm;        /* of the current strategy, as a value of an algorithm parameter */
    uint64_t communicators;
    uint64_t exchanges;
    uint64_t served;           /* exchanges that an algorithm of coll/irr served, also in trials */
    uint64_t all_messages;     /* messages to other ranks, with empty messages */
    uint64_t messages;         /* messages that were not empty */
    uint64_t bytes;
    uint64_t longest;          /* bytes of the longest message */
    uint64_t tried;            /* strategies that trials compared with Open MPI's implementation */
    uint64_t trial_exchanges;  /* exchanges in trials */
    uint64_t agreements;
    uint64_t ns;               /* time in exchanges */
    uint64_t strategy_ns;      /* part of `ns`: by the strategies in use that replaced Open MPI; without their trials */
    uint64_t setup_ns;         /* time in agreements and preparations, and extra time of exchanges in trials */
    double   saved_ns;         /* strategy_ns times (speedup - 1), minus setup_ns */
    double   saved_low_ns, saved_high_ns;   /* interval of saved_ns, from the spread of the samples */
    mca_coll_irr_range_t speedup;   /* of `strategy` in its last trial; max 0 if Open MPI serves the calls */
    mca_coll_irr_range_t other;     /* if Open MPI serves the calls: speedup of the best other strategy */
    int32_t  strategies;       /* length of `list`: the fastest strategies that were tried */
    mca_coll_irr_tried_t list[MCA_COLL_IRR_RECORD_STRATEGIES];
} mca_coll_irr_record_t;

/* Text of the strategy in a record if Open MPI serves. */
#define MCA_COLL_IRR_HOST_TEXT "Open MPI's own"

/* Largest time in a record, in nanoseconds: three years. */
#define MCA_COLL_IRR_NS_MAX 1e17

/*
 * Adds the trials of a strategy to the list of the record.  If the list is full, replaces the slowest strategy, if it
 * is slower than this one.
 */
void mca_coll_irr_record_tried(mca_coll_irr_record_t *record, const mca_coll_irr_tried_t *tried);

/* Returns true if a record received from another process is safe to read. */
bool mca_coll_irr_record_is_sound(const mca_coll_irr_record_t *record);

/* ---- fields ---- */

typedef enum mca_coll_irr_unit_t {
    MCA_COLL_IRR_COUNT, MCA_COLL_IRR_BYTE, MCA_COLL_IRR_FRACTION, MCA_COLL_IRR_RATIO, MCA_COLL_IRR_NS,
    MCA_COLL_IRR_SIGNED_NS,
    MCA_COLL_IRR_LOW_NS,      /* signed lower end of an interval, whose upper end is the next field */
    MCA_COLL_IRR_NAME         /* of an algorithm, as a value of an algorithm parameter */
} mca_coll_irr_unit_t;

/* A number of a record, and its name in each kind of output; NULL: not in that output. */
typedef struct mca_coll_irr_field_t {
    mca_coll_irr_unit_t unit;
    const char         *json;      /* key */
    const char         *column;    /* title in the text report, as wide as the column */
    const char         *variable;  /* suffix of the names of the MPI_T variables of the number */
    const char         *text;      /* description of the MPI_T variables; %s stands for the name of the collective */
} mca_coll_irr_field_t;

/* The fields, in the order of output. */
enum { MCA_COLL_IRR_FIELDS = 21 };
extern const mca_coll_irr_field_t mca_coll_irr_fields[MCA_COLL_IRR_FIELDS];

/* Returns false if the saved time is unknown, or if its interval is longer than the time in exchanges. */
bool mca_coll_irr_record_knows_saved(const mca_coll_irr_record_t *record);

/* Sets the values of all fields; NAN if unknown. */
void mca_coll_irr_record_values(const mca_coll_irr_record_t *record, double values[MCA_COLL_IRR_FIELDS]);

/* ---- text ---- */

typedef struct mca_coll_irr_size_t {
    char text[16];
} mca_coll_irr_size_t;

/*
 * Format bytes, in units of 1000 (12 B, 2.1 kB), and a time in ns (830 ns, 2.1 us, 41 ms, -3.0 s).  The text has two
 * significant digits, or all digits before the point if there are more.
 */
mca_coll_irr_size_t mca_coll_irr_bytes_text(double bytes);
mca_coll_irr_size_t mca_coll_irr_time_text(double ns);

/* Writes a text such as "tried 2 algorithms in 40 exchanges"; "" if no strategy was tried. */
#define MCA_COLL_IRR_TRIALS 80
void mca_coll_irr_record_trials(const mca_coll_irr_record_t *record, char text[MCA_COLL_IRR_TRIALS]);

/*
 * Writes the reason for the strategy, for the user.  A speedup in it is the range over all communicators of the record.
 */
#define MCA_COLL_IRR_REASON 336
void mca_coll_irr_record_reason(const mca_coll_irr_record_t *record, char *text, size_t size);

/* ---- tables ---- */

enum { MCA_COLL_IRR_RECORDS = 64 };

typedef struct mca_coll_irr_table_t {
    int                   count;
    mca_coll_irr_record_t records[MCA_COLL_IRR_RECORDS];
} mca_coll_irr_table_t;

/*
 * Adds a record to the record of the table with the same name, collective and number of ranks, or appends it.  If there
 * is room for at most one more record, the name need not be the same.  If there is no such record either, adds it to
 * the last record of the table, which collects all others.
 *
 * If of_this_rank is true, adds the times.  If it is false, the record is of another rank that took part in the same
 * exchanges: the times become those of the rank with the longest time in exchanges.
 */
void mca_coll_irr_table_add(mca_coll_irr_table_t *table, const mca_coll_irr_record_t *record, bool of_this_rank);

/* Sorts the records by the time in exchanges, longest first. */
void mca_coll_irr_table_sort(mca_coll_irr_table_t *table);

/* Writes a sentence: who served the exchanges of the job, whether that saved time, and otherwise why not. */
#define MCA_COLL_IRR_SUMMARY 640
void mca_coll_irr_table_summary(const mca_coll_irr_table_t *table, char text[MCA_COLL_IRR_SUMMARY]);

typedef struct mca_coll_irr_job_t {
    const char *version;      /* of coll/irr */
    int         ranks;
    int         reporting;    /* ranks that contributed records */
    bool        complete;     /* false: the job has not ended yet, and the records are those of rank 0 alone */
} mca_coll_irr_job_t;

/*
 * Write a table, the sums for each collective and the sums for the job: as text, or as JSON.  Errors are found with
 * ferror.
 */
void mca_coll_irr_table_print(const mca_coll_irr_table_t *table, const mca_coll_irr_job_t *job, FILE *stream);
void mca_coll_irr_table_json(const mca_coll_irr_table_t *table, const mca_coll_irr_job_t *job, FILE *stream);

/*
 * Sets *total to the sum of the records of a collective; of all records if `call` is NULL.  Unknown saved times count
 * as 0.
 */
void mca_coll_irr_table_total(const mca_coll_irr_table_t *table, const char *call, mca_coll_irr_record_t *total);

#endif

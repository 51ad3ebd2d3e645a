/*
 * coll_irr_record.h - the record of a collective of a communicator: counts, times, and the results of trials.  MPI_T,
 * the report of a job (coll_irr_report) and the log (coll_irr_verbose) read records.
 *
 * A strategy is an algorithm with its settings, or Open MPI's implementation.  A trial compares times of strategies.
 * An exchange is a call of the collective.  In an agreement the ranks choose a strategy.
 *
 * Each rank fills its own records (coll_irr_statistics.c).  The report merges the records of all communicators and
 * ranks into a table of bounded size.  If the table is full, the report adds the numbers of a record to another record.
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

/* A range of speedups.  A speedup is Open MPI's time divided by the time of a strategy.  max is 0 if there is none. */
typedef struct mca_coll_irr_range_t {
    double min, max;
} mca_coll_irr_range_t;

/* A strategy, and the speedups that its trials measured. */
typedef struct mca_coll_irr_tried_t {
    char                 strategy[96];
    uint64_t             trials;    /* number of trials of the strategy */
    mca_coll_irr_range_t speedup;
} mca_coll_irr_tried_t;

enum { MCA_COLL_IRR_RECORD_STRATEGIES = 8 };

/*
 * A record.  Rank 0 of each communicator counts calls and trials; all ranks count messages and bytes.  Times are in
 * nanoseconds.
 */
typedef struct mca_coll_irr_record_t {
    char     name[64];         /* of the communicator */
    char     call[32];         /* name of the collective in MPI */
    char     strategy[96];     /* strategy that serves calls when the communicator or the job ends */
    char     why[272];         /* the reason for `strategy`, as a clause */
    int32_t  similar;          /* 1: other communicators have the same reason, except for its numbers */
    int32_t  saves;            /* 1: saved_ns, saved_low_ns and saved_high_ns are known */
    int32_t  ranks, nodes;     /* 0: unknown, or different in the communicators of the record */
    int32_t  algorithm;        /* the algorithm of the current strategy, as a value of an algorithm parameter */
    uint64_t communicators;    /* number of communicators in the record */
    uint64_t exchanges;        /* number of calls */
    uint64_t all_messages;     /* number of messages to other ranks, including empty messages */
    uint64_t messages;         /* number of messages that were not empty */
    uint64_t bytes;            /* number of bytes in `messages` */
    uint64_t longest;          /* length of the longest message in bytes */
    uint64_t tried;            /* number of strategies that trials compared with Open MPI's implementation */
    uint64_t trial_exchanges;  /* number of exchanges in trials */
    uint64_t agreements;       /* number of agreements */
    uint64_t ns;               /* time in exchanges */
    uint64_t setup_ns;         /* time in agreements and preparations, and extra time of exchanges in trials */
    double   saved_ns;         /* Open MPI's time minus the time of the strategies, estimated from trials */
    double   saved_low_ns, saved_high_ns;   /* interval of saved_ns, from the spread of the samples */
    mca_coll_irr_range_t speedup;   /* of `strategy` in its last trial; max 0 if Open MPI serves the calls */
    mca_coll_irr_range_t other;     /* if Open MPI serves the calls: speedup of the best other strategy */
    int32_t  strategies;       /* length of `list`, which holds the fastest strategies that were tried */
    mca_coll_irr_tried_t list[MCA_COLL_IRR_RECORD_STRATEGIES];
} mca_coll_irr_record_t;

/* Largest time in a record, in nanoseconds: three years. */
#define MCA_COLL_IRR_NS_MAX 1e17

/*
 * Adds the trials of a strategy to the list of the record.  If the list is full, the strategy replaces the slowest
 * strategy of the list; if no strategy of the list is slower, the function does nothing.
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

/*
 * A number of a record, and its name in each kind of output.  A name is NULL if the kind of output does not contain the
 * number.
 */
typedef struct mca_coll_irr_field_t {
    mca_coll_irr_unit_t unit;
    const char         *json;      /* key */
    const char         *column;    /* title in the text report, as wide as the column */
    const char         *variable;  /* suffix of the names of the MPI_T variables of the number */
    const char         *text;      /* description of the MPI_T variables; %s stands for the name of the collective */
} mca_coll_irr_field_t;

/* The fields, in the order of output. */
enum { MCA_COLL_IRR_FIELDS = 18 };
extern const mca_coll_irr_field_t mca_coll_irr_fields[MCA_COLL_IRR_FIELDS];

/* Sets the values of all fields of a record.  A value is NAN if it is unknown. */
void mca_coll_irr_record_values(const mca_coll_irr_record_t *record, double values[MCA_COLL_IRR_FIELDS]);

/* ---- text ---- */

/* A number with its unit, as text. */
typedef struct mca_coll_irr_size_t {
    char text[16];
} mca_coll_irr_size_t;

/*
 * Formats a number of bytes with a unit that is a power of 1000: 12 B, 2.1 kB.  The text has two significant digits, or
 * all digits before the point if there are more.
 */
mca_coll_irr_size_t mca_coll_irr_bytes_text(double bytes);

/* Formats a time in nanoseconds, with the same number of digits: 830 ns, 2.1 us, 41 ms, -3.0 s. */
mca_coll_irr_size_t mca_coll_irr_time_text(double ns);

/* Writes a text such as "tried 2 algorithms in 40 exchanges".  The text is empty if no strategy was tried. */
#define MCA_COLL_IRR_TRIALS 80
void mca_coll_irr_record_trials(const mca_coll_irr_record_t *record, char text[MCA_COLL_IRR_TRIALS]);

/*
 * Writes the reason for the strategy, for the user.  The text is never empty.  A speedup in the text is the range over
 * all communicators of the record.
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
 * Adds a record to the record of the table that has the same name, collective and number of ranks.  If the table has no
 * such record, appends the record.  If the table has room for at most one more record, adds the record to a record with
 * the same collective and number of ranks instead.  If there is no such record either, adds the record to the last
 * record of the table, which collects all other records.
 *
 * If of_this_rank is true, adds the times.  If it is false, the record is of another rank that took part in the same
 * exchanges: the time and the saved time become those of the rank with the longest time, and the set-up time becomes
 * the longest of all ranks.
 */
void mca_coll_irr_table_add(mca_coll_irr_table_t *table, const mca_coll_irr_record_t *record, bool of_this_rank);

/* Sorts the records by the time in exchanges, longest first. */
void mca_coll_irr_table_sort(mca_coll_irr_table_t *table);

/* The facts about the job that a report contains. */
typedef struct mca_coll_irr_job_t {
    const char *version;      /* of coll/irr */
    int         ranks;
    int         reporting;    /* number of ranks that contributed records to the table */
} mca_coll_irr_job_t;

/*
 * Both functions write a table, the sums for each collective and the sums for the job: as text, or as JSON.  Errors are
 * found with ferror.
 */
void mca_coll_irr_table_print(const mca_coll_irr_table_t *table, const mca_coll_irr_job_t *job, FILE *stream);
void mca_coll_irr_table_json(const mca_coll_irr_table_t *table, const mca_coll_irr_job_t *job, FILE *stream);

/* Sets *total to the sum of the records of a collective.  If `call` is NULL, sums all records. */
void mca_coll_irr_table_total(const mca_coll_irr_table_t *table, const char *call, mca_coll_irr_record_t *total);

#endif

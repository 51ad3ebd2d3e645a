/*
 * coll_irr_record.h - the record of a collective of a communicator.  MPI_T, coll_irr_report and the log of
 * coll_irr_verbose read it.
 *
 * Each rank fills its own records (coll_irr_statistics.c).  The report merges the records of communicators and ranks in
 * a table of bounded size: if the table has no room for a record, its numbers are added to another record.
 *
 * Pure functions without Open MPI.  A record contains no pointers, so processes on machines with equal data formats
 * exchange it as it is.
 */
#ifndef MCA_COLL_IRR_RECORD_H
#define MCA_COLL_IRR_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- records ---- */

/* A range of speedups.  A speedup is Open MPI's time divided by the time of a strategy.  max is 0 without a speedup. */
typedef struct mca_coll_irr_range_t {
    double min, max;
} mca_coll_irr_range_t;

/* A strategy that was tried, and the speedups measured in its trials. */
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
    char     strategy[96];     /* strategy that serves at the end */
    char     why[272];         /* the cause of this strategy, as a clause */
    int32_t  similar;          /* causes of other communicators differ from this cause in numbers only */
    int32_t  saves;            /* 1: saved_ns is known */
    int32_t  ranks, nodes;     /* 0: unknown, or different in the communicators of the record */
    int32_t  algorithm;        /* the algorithm that serves now; a value of the parameters for algorithms */
    uint64_t communicators;
    uint64_t exchanges;
    uint64_t room;             /* number of messages to other ranks if no message were empty */
    uint64_t messages;         /* number of messages that were not empty */
    uint64_t bytes;            /* bytes sent in these messages */
    uint64_t longest;          /* bytes of the longest message */
    uint64_t tried;            /* number of strategies in trials */
    uint64_t trial_exchanges;  /* number of exchanges in trials */
    uint64_t agreements;
    uint64_t ns;               /* time in exchanges */
    uint64_t setup_ns;         /* time in agreements and preparations, and extra time of exchanges in trials */
    double   saved_ns;         /* estimated from trials: time saved relative to Open MPI; negative: lost */
    double   saved_low_ns, saved_high_ns;   /* interval of saved_ns, from the spread of the samples */
    mca_coll_irr_range_t speedup;   /* of the strategy that serves at the end, in its last trial */
    mca_coll_irr_range_t other;     /* if Open MPI serves: speedup of the best other strategy */
    int32_t  strategies;       /* length of the list, which holds the best strategies tried */
    mca_coll_irr_tried_t list[MCA_COLL_IRR_RECORD_STRATEGIES];
} mca_coll_irr_record_t;

/* Largest time in a record, in nanoseconds: three years. */
#define MCA_COLL_IRR_NS_MAX 1e17

/*
 * Adds the trials of a strategy to the list.  If the list is full, the strategy replaces the slowest strategy of the
 * list, unless it is slower.
 */
void mca_coll_irr_record_tried(mca_coll_irr_record_t *record, const mca_coll_irr_tried_t *tried);

/* Returns true if a record received from another process is safe to read. */
bool mca_coll_irr_record_is_sound(const mca_coll_irr_record_t *record);

/* ---- fields ---- */

typedef enum mca_coll_irr_unit_t {
    MCA_COLL_IRR_COUNT, MCA_COLL_IRR_BYTE, MCA_COLL_IRR_FRACTION, MCA_COLL_IRR_RATIO, MCA_COLL_IRR_NS,
    MCA_COLL_IRR_SIGNED_NS,
    MCA_COLL_IRR_LOW_NS,      /* signed; lower end of an interval; the next field is the upper end */
    MCA_COLL_IRR_NAME         /* of an algorithm; a value of the parameters for algorithms */
} mca_coll_irr_unit_t;

/* A number of a record, and its name in each kind of output.  NULL: that output does not contain the number. */
typedef struct mca_coll_irr_field_t {
    mca_coll_irr_unit_t unit;
    const char         *json;      /* key */
    const char         *column;    /* title in the text report, as wide as the column */
    const char         *variable;  /* suffix of the names of its MPI_T variables */
    const char         *text;      /* description of these variables; %s is the call */
} mca_coll_irr_field_t;

/* In the order of output. */
enum { MCA_COLL_IRR_FIELDS = 18 };
extern const mca_coll_irr_field_t mca_coll_irr_fields[MCA_COLL_IRR_FIELDS];

/* Sets the values of all fields of a record.  NAN: the value is unknown. */
void mca_coll_irr_record_values(const mca_coll_irr_record_t *record, double values[MCA_COLL_IRR_FIELDS]);

/* ---- text ---- */

/* A number with its unit, as text. */
typedef struct mca_coll_irr_size_t {
    char text[16];
} mca_coll_irr_size_t;

/* Formats bytes with a unit in powers of 1000, with two significant digits or all before the point: 12 B, 2.1 kB. */
mca_coll_irr_size_t mca_coll_irr_bytes_text(double bytes);

/* Formats nanoseconds with two significant digits or all before the point: 830 ns, 2.1 us, 41 ms, -3.0 s. */
mca_coll_irr_size_t mca_coll_irr_time_text(double ns);

/* Writes "tried 2 algorithms in 40 exchanges"; the text is empty if no strategy was tried. */
#define MCA_COLL_IRR_TRIALS 80
void mca_coll_irr_record_trials(const mca_coll_irr_record_t *record, char text[MCA_COLL_IRR_TRIALS]);

/* Writes the cause for the user; never empty.  Its speedup is the range over all communicators of the record. */
#define MCA_COLL_IRR_REASON 336
void mca_coll_irr_record_reason(const mca_coll_irr_record_t *record, char *text, size_t size);

/* ---- tables ---- */

enum { MCA_COLL_IRR_RECORDS = 64 };

typedef struct mca_coll_irr_table_t {
    int                   count;
    mca_coll_irr_record_t records[MCA_COLL_IRR_RECORDS];
} mca_coll_irr_table_t;

/*
 * Adds a record to the record of the table with the same name, collective and number of ranks, or appends it.  If the
 * table is nearly full, adds the record to one with the same collective and number of ranks.  If there is no such
 * record, adds it to the last record, which collects all others.  With of_this_rank, times are added.  Otherwise
 * another rank took part in the same exchanges: the time and the saved time are then those of the rank with the
 * longest time, and the set-up time is the longest of all ranks.
 */
void mca_coll_irr_table_add(mca_coll_irr_table_t *table, const mca_coll_irr_record_t *record, bool of_this_rank);

/* Sorts by the time in exchanges, longest first. */
void mca_coll_irr_table_sort(mca_coll_irr_table_t *table);

/* The job in a report. */
typedef struct mca_coll_irr_job_t {
    const char *version;      /* of coll/irr */
    int         ranks;
    int         reporting;    /* number of ranks that contributed records to the table */
} mca_coll_irr_job_t;

/* Write a table, the sums for each collective and the sums for the job.  The stream records errors (ferror). */
void mca_coll_irr_table_print(const mca_coll_irr_table_t *table, const mca_coll_irr_job_t *job, FILE *stream);
void mca_coll_irr_table_json(const mca_coll_irr_table_t *table, const mca_coll_irr_job_t *job, FILE *stream);

/* Sets *total to the sum of the records of a collective; call NULL: of all records. */
void mca_coll_irr_table_total(const mca_coll_irr_table_t *table, const char *call, mca_coll_irr_record_t *total);

#endif

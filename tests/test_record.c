/*
 * test_record.c - records of a report: units, sums, text, JSON, and records of other ranks, which may be unsound.
 */
#include "irr_test.h"
#include "ompi_coll_irr/coll_irr_record.h"

#include <math.h>
#include <stddef.h>

static void try(mca_coll_irr_record_t *record, const char *strategy, double speedup)
{
    mca_coll_irr_tried_t tried = { .trials = 1, .speedup = { speedup, speedup } };

    snprintf(tried.strategy, sizeof(tried.strategy), "%s", strategy);
    mca_coll_irr_record_tried(record, &tried);
}

static void serve(mca_coll_irr_record_t *record, const char *strategy, double speedup)
{
    record->speedup = (mca_coll_irr_range_t){ speedup, speedup };
    snprintf(record->strategy, sizeof(record->strategy), "%s", strategy);
    snprintf(record->why, sizeof(record->why), "because it has speedup %.2f in trials", speedup);
}

static mca_coll_irr_record_t record_of(const char *name, const char *call, int ranks)
{
    mca_coll_irr_record_t record = {
        .ranks = ranks, .nodes = 1, .communicators = 1, .exchanges = 10, .served = 9, .all_messages = 120,
        .messages = 60, .bytes = 6000, .longest = 200, .ns = 1000, .strategy_ns = 800, .setup_ns = 250, .saves = 1,
        .saved_ns = 50, .saved_low_ns = -20, .saved_high_ns = 120, .agreements = 2, .tried = 1,
        .trial_exchanges = 20 };

    snprintf(record.name, sizeof(record.name), "%s", name);
    snprintf(record.call, sizeof(record.call), "%s", call);
    serve(&record, "direct", 2);
    try(&record, "direct", 2);
    return record;
}

static mca_coll_irr_table_t table;

static void empty_table(void)
{
    memset(&table, 0, sizeof(table));
}

/* ---- units ---- */

IRR_TEST(test_units, "bytes and times have units")
{
    static const struct { uint64_t number; const char *bytes, *time; } rows[] = {
        { 0, "0 B", "0 ns" }, { 999, "999 B", "999 ns" }, { 1000, "1.0 kB", "1.0 us" }, { 2149, "2.1 kB", "2.1 us" },
        { 9949, "9.9 kB", "9.9 us" }, { 9950, "10 kB", "10 us" }, { 999499, "999 kB", "999 us" },
        { 999500, "1.0 MB", "1.0 ms" }, { 1300000000, "1.3 GB", "1.3 s" },
        { UINT64_C(4000000000000), "4.0 TB", "4000 s" }, { UINT64_MAX, "18447 PB", "9223372037 s" }
    };

    for (size_t i = 0; i < IRR_TEST_COUNT(rows); i++) {
        const double number = (double)rows[i].number;

        CU_ASSERT_STRING_EQUAL(mca_coll_irr_bytes_text(number).text, rows[i].bytes);
        CU_ASSERT_STRING_EQUAL(mca_coll_irr_time_text(number < 0x1p63 ? number : 0x1p63).text, rows[i].time);
    }
    CU_ASSERT_STRING_EQUAL(mca_coll_irr_time_text(-2149000).text, "-2.1 ms");
    CU_ASSERT_STRING_EQUAL(mca_coll_irr_time_text(INT64_MIN).text, "-9223372037 s");
}

/* ---- strategies of a record ---- */

IRR_TEST(test_strategies, "a record names the strategies that were tried, up to its limit")
{
    mca_coll_irr_record_t record = { .strategies = 0 };
    char strategy[16];

    for (int i = 0; i < MCA_COLL_IRR_RECORD_STRATEGIES; i++) {
        snprintf(strategy, sizeof(strategy), "w%d", i);
        try(&record, strategy, 1 + i);
    }
    try(&record, "w2", 0.25);
    CU_ASSERT_EQUAL(record.strategies, MCA_COLL_IRR_RECORD_STRATEGIES);
    CU_ASSERT_EQUAL(record.list[2].trials, 2);
    CU_ASSERT_EQUAL(record.list[2].speedup.min, 0.25);
    CU_ASSERT_EQUAL(record.list[2].speedup.max, 3);
    try(&record, "worse", 0.5);
    CU_ASSERT_STRING_EQUAL(record.list[0].strategy, "w0");
    try(&record, "better", 100);
    CU_ASSERT_STRING_EQUAL(record.list[0].strategy, "better");
    CU_ASSERT_EQUAL(record.list[0].trials, 1);
    CU_ASSERT_EQUAL(record.strategies, MCA_COLL_IRR_RECORD_STRATEGIES);
}

/* ---- tables ---- */

static void reads(const mca_coll_irr_record_t *record, const char *wanted)
{
    char text[MCA_COLL_IRR_REASON];

    mca_coll_irr_record_reason(record, text, sizeof(text));
    CU_ASSERT_STRING_EQUAL(text, wanted);
}

IRR_TEST(test_reasons, "why a strategy serves one communicator, similar ones, and different ones")
{
    static const char *const few[] = { "because 20 exchanges took 447 us", "because 2 exchanges took 3.0 ms" };
    mca_coll_irr_record_t record = record_of("a", "MPI_Alltoallv", 4);

    empty_table();
    record.speedup = (mca_coll_irr_range_t){ 0, 0 };
    for (int i = 0; i < 3; i++) {
        snprintf(record.why, sizeof(record.why), "%s", few[i % 2]);
        mca_coll_irr_table_add(&table, &record, true);
    }
    reads(&table.records[0], "because 20 exchanges took 447 us; similar on the other communicators");
    serve(&record, "direct", 2);
    mca_coll_irr_table_add(&table, &record, true);
    reads(&table.records[0], "because communicators differ");
    mca_coll_irr_table_add(&table, &record, true);
    reads(&table.records[0], "because communicators differ");
    record.why[0] = '\0';
    reads(&record, "for an unknown reason");
}

IRR_TEST(test_sums, "two records of one kind on this rank are added")
{
    const mca_coll_irr_record_t *sum = &table.records[0];
    mca_coll_irr_record_t record = record_of("a", "MPI_Alltoallv", 4);

    empty_table();
    mca_coll_irr_table_add(&table, &record, true);
    record.longest = 300;
    record.saved_low_ns = -100;
    serve(&record, "direct", 1.5);
    try(&record, "direct", 1.5);
    mca_coll_irr_table_add(&table, &record, true);
    CU_ASSERT_EQUAL_FATAL(table.count, 1);
    CU_ASSERT(sum->communicators == 2 && sum->exchanges == 20 && sum->bytes == 12000 && sum->longest == 300);
    CU_ASSERT(sum->served == 18 && sum->strategy_ns == 1600 && sum->setup_ns == 500);
    CU_ASSERT(sum->ns == 2000 && sum->tried == 2 && sum->ranks == 4 && sum->list[0].trials == 3);
    CU_ASSERT(sum->list[0].speedup.min == 1.5 && sum->speedup.min == 1.5 && sum->speedup.max == 2);
    CU_ASSERT(sum->saved_ns == 100 && sum->saved_low_ns == -120);
    CU_ASSERT_STRING_EQUAL(sum->strategy, "direct");
    reads(&table.records[0], "because it has speedup 1.50 to 2.00 in trials");
}

/*
 * If records of several ranks are joined, bytes are added. All times are the values of the rank with the longest time,
 * so that they fit together.
 */
IRR_TEST(test_joins, "records of several ranks are joined")
{
    const mca_coll_irr_record_t *sum = &table.records[0];
    mca_coll_irr_record_t record = record_of("a", "MPI_Alltoallv", 4);

    empty_table();
    mca_coll_irr_table_add(&table, &record, false);
    record.communicators = record.exchanges = record.served = record.agreements = 0;
    record.ns = 5000;
    record.strategy_ns = 4000;
    record.setup_ns = 10;
    record.saved_ns = -7;
    mca_coll_irr_table_add(&table, &record, false);
    record.ns = 4999;
    record.setup_ns = 3000;
    mca_coll_irr_table_add(&table, &record, false);
    CU_ASSERT_EQUAL_FATAL(table.count, 1);
    CU_ASSERT(sum->communicators == 1 && sum->exchanges == 10 && sum->served == 9 && sum->agreements == 2);
    CU_ASSERT(sum->messages == 180 && sum->all_messages == 360);
    CU_ASSERT(sum->ns == 5000 && sum->strategy_ns == 4000 && sum->setup_ns == 10 && sum->saved_ns == -7);
}

static double saved_of(const mca_coll_irr_record_t *record, double *low)
{
    double values[MCA_COLL_IRR_FIELDS], saved = 0;

    mca_coll_irr_record_values(record, values);
    for (int i = 0; i < MCA_COLL_IRR_FIELDS; i++) {
        const char *json = mca_coll_irr_fields[i].json;

        saved = json != NULL && strcmp(json, "saved_ns") == 0 ? values[i] : saved;
        *low = json != NULL && strcmp(json, "saved_range_ns") == 0 ? values[i] : *low;
    }
    return saved;
}

IRR_TEST(test_uncertain, "a saved time whose interval is longer than the time in exchanges is unknown")
{
    mca_coll_irr_record_t record = record_of("a", "MPI_Alltoallv", 4);
    double low;

    record.saved_high_ns = record.saved_low_ns + 1000;   /* as long as the time in exchanges */
    CU_ASSERT_EQUAL(saved_of(&record, &low), 50);
    CU_ASSERT_EQUAL(low, -20);
    record.saved_high_ns += 1;
    CU_ASSERT_TRUE(isnan(saved_of(&record, &low)) && isnan(low));
    empty_table();
    mca_coll_irr_table_add(&table, &record, true);
    record = record_of("b", "MPI_Alltoallv", 4);
    mca_coll_irr_table_add(&table, &record, true);
    mca_coll_irr_table_total(&table, NULL, &record);   /* only the second record has a known saved time */
    CU_ASSERT_EQUAL(saved_of(&record, &low), 50);
    CU_ASSERT_EQUAL(low, -20);
    record = record_of("a", "MPI_Alltoallv", 4);
    record.saves = 0;
    CU_ASSERT_TRUE(isnan(saved_of(&record, &low)) && isnan(low));
}

IRR_TEST(test_kinds, "records with different names, collectives or numbers of ranks are not joined")
{
    mca_coll_irr_record_t records[] = { record_of("a", "MPI_Alltoallv", 4), record_of("b", "MPI_Alltoallv", 4),
                                        record_of("a", "MPI_Alltoall", 4), record_of("a", "MPI_Alltoallv", 2) };

    empty_table();
    for (int i = 0; i < 4; i++) {
        records[i].ns = (uint64_t)i;
        mca_coll_irr_table_add(&table, &records[i], true);
    }
    CU_ASSERT_EQUAL_FATAL(table.count, 4);
    snprintf(records[3].strategy, sizeof(records[3].strategy), "grid");
    mca_coll_irr_table_add(&table, &records[3], true);
    CU_ASSERT_STRING_EQUAL(table.records[3].strategy, "several algorithms");
    mca_coll_irr_table_sort(&table);
    CU_ASSERT_EQUAL(table.records[0].ranks, 2);
    CU_ASSERT_EQUAL(table.records[3].ns, 0);
}

IRR_TEST(test_bounded, "with any number of kinds, no exchange is lost, and the table does not exceed its limit")
{
    uint64_t seed = irr_test_seed(), exchanges = 0, bytes = 0;
    mca_coll_irr_record_t record;
    char name[32];

    empty_table();
    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof(name), "%d", (int)irr_test_below(&seed, 300));
        record = record_of(name, irr_test_below(&seed, 2) == 0 ? "MPI_Alltoallv" : "MPI_Alltoall",
                     2 + (int)irr_test_below(&seed, 200));
        mca_coll_irr_table_add(&table, &record, irr_test_below(&seed, 2) == 0);
    }
    CU_ASSERT_EQUAL(table.count, MCA_COLL_IRR_RECORDS);
    for (int i = 0; i < table.count; i++) {
        exchanges += table.records[i].exchanges;
        bytes += table.records[i].bytes;
        CU_ASSERT_TRUE(mca_coll_irr_record_is_sound(&table.records[i]));
    }
    CU_ASSERT_EQUAL(exchanges, 10000);
    CU_ASSERT_EQUAL(bytes, 6000000);
    CU_ASSERT_STRING_EQUAL(table.records[MCA_COLL_IRR_RECORDS - 1].name, "others");
    CU_ASSERT_EQUAL(table.records[MCA_COLL_IRR_RECORDS - 1].ranks, 0);
}

/* ---- hostile records ---- */

#define FIELD(field) offsetof(mca_coll_irr_record_t, field), sizeof(((mca_coll_irr_record_t *)0)->field)

/* Each row of `fields` overwrites one field of a sound record with bytes; each row of `bad` has a wrong number. */
IRR_TEST(test_unsound, "an unsound record is detected")
{
    static const struct { size_t offset, bytes; int fill; } fields[] = {
        { FIELD(name), 'x' }, { FIELD(why), 'x' }, { FIELD(strategies), 0x7f }, { FIELD(ranks), 0xff },
        { FIELD(list[0].strategy), 'x' }, { FIELD(list[0].speedup), 0xff }   /* NaN */
    };
    const mca_coll_irr_record_t record = record_of("a", "MPI_Alltoallv", 4);
    mca_coll_irr_record_t bad[3] = { record, record, record };

    CU_ASSERT_TRUE(mca_coll_irr_record_is_sound(&record));
    bad[0].strategies = MCA_COLL_IRR_RECORD_STRATEGIES + 1;
    bad[1].speedup.min = 3;   /* above speedup.max */
    bad[2].saved_low_ns = INT64_MIN;
    for (size_t i = 0; i < IRR_TEST_COUNT(bad); i++) {
        CU_ASSERT_FALSE(mca_coll_irr_record_is_sound(&bad[i]));
    }
    for (size_t i = 0; i < IRR_TEST_COUNT(fields); i++) {
        bad[0] = record;
        memset((char *)&bad[0] + fields[i].offset, fields[i].fill, fields[i].bytes);
        CU_ASSERT_FALSE(mca_coll_irr_record_is_sound(&bad[0]));
    }
}

/* ---- text and JSON ---- */

typedef void (*writer_t)(const mca_coll_irr_table_t *table, const mca_coll_irr_job_t *job, FILE *stream);

/* Returns the output of a writer, which the caller frees. */
static char *written(writer_t write, int ranks, int reporting, bool complete)
{
    const mca_coll_irr_job_t job = {
        .version = "1.2.3", .ranks = ranks, .reporting = reporting, .complete = complete };
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);

    CU_ASSERT_PTR_NOT_NULL_FATAL(stream);
    write(&table, &job, stream);
    CU_ASSERT_EQUAL_FATAL(fclose(stream), 0);
    return text;
}

static void has(const char *text, const char *wanted)
{
    CU_ASSERT_PTR_NOT_NULL(strstr(text, wanted));
    if (strstr(text, wanted) == NULL) {
        printf("# not there: %s\n", wanted);
    }
}

IRR_TEST(test_text, "a table")
{
    mca_coll_irr_record_t record = record_of("MPI_COMM_WORLD", "MPI_Alltoallv", 4);
    char *text;

    empty_table();
    record.communicators = 1000;
    record.ns = 4100000000;
    record.setup_ns = 41000000;
    try(&record, "node", 0.75);
    try(&record, "node", 0.5);
    mca_coll_irr_table_add(&table, &record, true);
    text = written(mca_coll_irr_table_print, 4, 3, true);
    CU_ASSERT_PTR_EQUAL(strstr(text, "coll/irr served 90 % of 10 exchanges by direct"), text);
    has(text, "in a job of 4 ranks");
    has(text, "Only 3 ranks have reported");
    has(text, "\nMPI_COMM_WORLD x 1000, MPI_Alltoallv, 4 ranks on 1 node: direct\n");
    has(text, "\n           10    90%   6.0 kB    100 B    200 B   50%    4.1 s    41 ms   1.0%    50 ns   -20 ns "
              "  120 ns\n");
    has(text, "    because it has speedup 2.00 in trials; tried other strategies 1 time, in 20 exchanges; "
              "2 agreements\n");
    has(text, "    speedup: direct 2.00 in 1 trial; node 0.50 to 0.75 in 2 trials\n");
    has(text, "\nTotal of MPI_Alltoallv\n           10    90%   6.0 kB    100 B    200 B   50%    4.1 s ");
    has(text, "\nTotal\n           10    90%   6.0 kB    100 B    200 B   50%    4.1 s ");
    free(text);
    empty_table();
    text = written(mca_coll_irr_table_print, 4, 4, true);
    has(text, "The job made no such calls on communicators of several ranks.\n");
    CU_ASSERT_PTR_NULL(strstr(text, "have reported"));
    free(text);
}

/* ---- the sentence at the beginning ---- */

static void summary_is(const char *wanted)
{
    char text[MCA_COLL_IRR_SUMMARY];

    mca_coll_irr_table_summary(&table, text);
    CU_ASSERT_STRING_EQUAL(text, wanted);
}

/* Replaces the table by one record that an algorithm served. */
static mca_coll_irr_record_t *one_record(double saved_ns, double low, double high)
{
    mca_coll_irr_record_t record = record_of("MPI_COMM_WORLD", "MPI_Alltoallv", 4);

    record.saved_ns = saved_ns;
    record.saved_low_ns = low;
    record.saved_high_ns = high;
    empty_table();
    mca_coll_irr_table_add(&table, &record, true);
    return &table.records[0];
}

/* Changes a record to one that Open MPI serves. */
static void leave(mca_coll_irr_record_t *record, uint64_t served, const char *why)
{
    record->served = served;
    record->strategy_ns = 0;
    record->speedup = (mca_coll_irr_range_t){ 0, 0 };
    snprintf(record->strategy, sizeof(record->strategy), "%s", MCA_COLL_IRR_HOST_TEXT);
    snprintf(record->why, sizeof(record->why), "%s", why);
}

IRR_TEST(test_summary, "the sentence says who served, and whether that saved time")
{
    mca_coll_irr_record_t *record;

    empty_table();
    summary_is("Open MPI passed no exchange to coll/irr.");
    (void)one_record(200, 90, 300);
    summary_is("coll/irr served 90 % of 10 exchanges by direct and saved 200 ns (90 ns to 300 ns); exchanges took "
               "1.0 us.");
    (void)one_record(-50, -120, -20);
    summary_is("coll/irr served 90 % of 10 exchanges by direct and lost 50 ns (20 ns to 120 ns); exchanges took "
               "1.0 us.");
    record = one_record(50, -20, 120);
    record->served = 10;
    summary_is("coll/irr served all 10 exchanges by direct, but it is not certain that this saved time: -20 ns to 120 "
               "ns; exchanges took 1.0 us.");
    (void)one_record(50, -20, 9000);
    summary_is("coll/irr served 90 % of 10 exchanges by direct, but the saved time is unknown, because times in "
               "trials vary too much; exchanges took 1.0 us.");
    record = one_record(0, 0, 0);
    record->strategy_ns = 0;
    record->speedup = (mca_coll_irr_range_t){ 0, 0 };
    summary_is("coll/irr served 90 % of 10 exchanges by direct; no trial has compared that with Open MPI, so the saved "
               "time is unknown; exchanges took 1.0 us.");
    leave(one_record(200, 90, 300), 9, "because the algorithm used before has speedup 0.80 now");
    table.records[0].strategy_ns = 700;
    summary_is("coll/irr served 90 % of 10 exchanges by several algorithms and saved 200 ns (90 ns to 300 ns); "
               "exchanges took 1.0 us.");
}

IRR_TEST(test_summary_left, "the sentence says why Open MPI served")
{
    mca_coll_irr_record_t *record = one_record(-250, -250, -250), other;

    leave(record, 4, "because the best other algorithm has speedup 0.90");
    summary_is("coll/irr served 4 of 10 exchanges in trials and left the others to Open MPI, because the best other "
               "algorithm has speedup 0.90; set-up took 250 ns, exchanges took 1.0 us.");
    leave(record, 0, "because 10 exchanges took 1.0 us");
    summary_is("coll/irr left all 10 exchanges to Open MPI, because 10 exchanges took 1.0 us.");
    record->exchanges = 1;
    summary_is("coll/irr left 1 exchange to Open MPI, because 10 exchanges took 1.0 us.");
    record->exchanges = 10;
    other = *record;
    other.exchanges = 1;
    other.ns = 2000;
    snprintf(other.call, sizeof(other.call), "MPI_Alltoall");
    leave(&other, 0, "because coll_irr_alltoall_algorithm is host");
    mca_coll_irr_table_add(&table, &other, true);
    summary_is("coll/irr left all 11 exchanges to Open MPI (most of the time: MPI_Alltoall on MPI_COMM_WORLD), because "
               "coll_irr_alltoall_algorithm is host.");
}

IRR_TEST(test_json, "JSON")
{
    mca_coll_irr_record_t record = record_of("a \"b\" \\ \n\x01\xff", "MPI_Alltoallv", 4);
    char *text;

    empty_table();
    mca_coll_irr_table_add(&table, &record, true);
    text = written(mca_coll_irr_table_json, 4, 4, true);
    has(text, "{\"program\": \"coll_irr\", \"version\": \"1.2.3\", \"ranks\": 4, \"ranks_reporting\": 4, "
              "\"complete\": true,\n");
    has(text, "\"summary\": \"coll/irr served 90 % of 10 exchanges by direct, ");
    has(text, "\"communicator\": \"a ?b? ? ???\", \"call\": \"MPI_Alltoallv\", \"ranks\": 4, \"nodes\": 1, ");
    has(text, "\"exchanges\": 10, \"served\": 9, \"served_share\": 0.900, \"messages\": 60, ");
    has(text, "\"mean_message\": 100, \"longest_message\": 200, \"density\": 0.500, \"tried\": 1, ");
    has(text, "\"time_ns\": 1000, \"strategy_ns\": 800, \"setup_ns\": 250, \"setup_share\": 0.200, \"saved_ns\": 50, "
              "\"saved_range_ns\": [-20, 120], \"communicator\"");
    has(text, "\"speedup\": [2.000, 2.000], \"best_other_speedup\": null, "
              "\"strategies\": [{\"strategy\": \"direct\", \"trials\": 1, \"speedup\": [2.000, 2.000]}]}],\n");
    has(text, "\"totals\": [\n  {\"call\": \"MPI_Alltoallv\", \"communicators\": 1, ");
    has(text, "\"total\": {\"communicators\": 1, \"exchanges\": 10, ");
    free(text);
}

IRR_TEST(test_unfinished, "the report of a job that has not ended says so")
{
    mca_coll_irr_record_t record = record_of("MPI_COMM_WORLD", "MPI_Alltoallv", 4);
    char *text;

    empty_table();
    mca_coll_irr_table_add(&table, &record, true);
    text = written(mca_coll_irr_table_print, 4, 1, false);
    has(text, "The job has not ended, so these are the numbers of rank 0 so far: coll/irr served 90 % ");
    CU_ASSERT_PTR_NULL(strstr(text, "ranks have reported"));
    free(text);
    text = written(mca_coll_irr_table_json, 4, 1, false);
    has(text, "\"ranks_reporting\": 1, \"complete\": false,\n");
    has(text, "\"summary\": \"The job has not ended, so");
    free(text);
}

IRR_TEST(test_json_of_nothing, "in an empty record, all unknown values are null")
{
    const mca_coll_irr_record_t record = { .ranks = 0 };
    char *text;

    empty_table();
    mca_coll_irr_table_add(&table, &record, true);
    text = written(mca_coll_irr_table_json, 2, 2, true);
    has(text, "\"communicator\": null, \"call\": null, \"ranks\": null, \"nodes\": null, ");
    has(text, "\"mean_message\": null, \"longest_message\": null, \"density\": null, ");
    has(text, "\"setup_share\": null, \"saved_ns\": null, \"saved_range_ns\": null, \"communicator\": null");
    has(text, "\"best_other_speedup\": null, \"strategies\": []}],\n");
    free(text);
}

IRR_TEST_MAIN("record", 60)

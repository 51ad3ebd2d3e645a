/*
 * test_rows.c - rows of a report: their units, what becomes of them in a table, text, JSON, and rows from elsewhere.
 */
#include "irr_test.h"
#include "ompi_coll_irr/coll_irr_rows.h"

#include <stdlib.h>
#include <string.h>

static mca_coll_irr_row_t row_of(const char *name, const char *call, int ranks)
{
    mca_coll_irr_row_t row = { .ranks = ranks, .nodes = 1, .communicators = 1, .exchanges = 10, .room = 120,
                               .messages = 60, .bytes = 6000, .longest = 200, .ns = 1000, .setup_ns = 100,
                               .saved_ns = 50, .agreements = 2, .tried = 1, .trial_exchanges = 20 };

    snprintf(row.name, sizeof(row.name), "%s", name);
    snprintf(row.call, sizeof(row.call), "%s", call);
    snprintf(row.way, sizeof(row.way), "board");
    snprintf(row.why, sizeof(row.why), "because of something");
    mca_coll_irr_row_tried(&row, "board", 0.5);
    return row;
}

static mca_coll_irr_table_t table;

static void empty_table(void)
{
    memset(&table, 0, sizeof(table));
}

/* ---- units ---- */

static void test_units(void)
{
    static const struct { uint64_t number; const char *bytes, *time; } rows[] = {
        { 0, "0 B", "0 ns" }, { 999, "999 B", "999 ns" }, { 1000, "1.0 kB", "1.0 us" }, { 2149, "2.1 kB", "2.1 us" },
        { 9949, "9.9 kB", "9.9 us" }, { 9950, "10 kB", "10 us" }, { 999499, "999 kB", "999 us" },
        { 999500, "1.0 MB", "1.0 ms" }, { 1300000000, "1.3 GB", "1.3 s" },
        { UINT64_C(4000000000000), "4.0 TB", "4000 s" }, { UINT64_MAX, "18447 PB", "18446744074 s" }
    };
    char text[MCA_COLL_IRR_UNITS];

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        mca_coll_irr_bytes_text(rows[i].number, text);
        CU_ASSERT_STRING_EQUAL(text, rows[i].bytes);
        mca_coll_irr_time_text(rows[i].number, text);
        CU_ASSERT_STRING_EQUAL(text, rows[i].time);
    }
}

/* ---- ways of a row ---- */

static void test_ways(void)
{
    mca_coll_irr_row_t row = { .ways = 0 };
    char way[16];

    for (int i = 0; i < MCA_COLL_IRR_ROW_WAYS; i++) {
        snprintf(way, sizeof(way), "w%d", i);
        mca_coll_irr_row_tried(&row, way, 1 + i);
    }
    mca_coll_irr_row_tried(&row, "w2", 0.25);
    CU_ASSERT_EQUAL(row.ways, MCA_COLL_IRR_ROW_WAYS);
    CU_ASSERT_EQUAL(row.list[2].ratio, 0.25);
    mca_coll_irr_row_tried(&row, "worse", 100);
    CU_ASSERT_STRING_EQUAL(row.list[MCA_COLL_IRR_ROW_WAYS - 1].way, "w7");
    mca_coll_irr_row_tried(&row, "better", 0.5);
    CU_ASSERT_STRING_EQUAL(row.list[MCA_COLL_IRR_ROW_WAYS - 1].way, "better");
    CU_ASSERT_EQUAL(row.ways, MCA_COLL_IRR_ROW_WAYS);
}

/* ---- tables ---- */

/* The same kind on this rank: all is added. */
static void test_sums(void)
{
    mca_coll_irr_row_t row = row_of("a", "MPI_Alltoallv", 4);

    empty_table();
    mca_coll_irr_table_add(&table, &row, true);
    row.longest = 300;
    mca_coll_irr_row_tried(&row, "board", 0.75);
    mca_coll_irr_table_add(&table, &row, true);
    CU_ASSERT_EQUAL_FATAL(table.count, 1);
    CU_ASSERT_EQUAL(table.rows[0].communicators, 2);
    CU_ASSERT_EQUAL(table.rows[0].exchanges, 20);
    CU_ASSERT_EQUAL(table.rows[0].bytes, 12000);
    CU_ASSERT_EQUAL(table.rows[0].longest, 300);
    CU_ASSERT_EQUAL(table.rows[0].ns, 2000);
    CU_ASSERT_EQUAL(table.rows[0].tried, 2);
    CU_ASSERT_EQUAL(table.rows[0].ranks, 4);
    CU_ASSERT_EQUAL(table.rows[0].list[0].ratio, 0.75);
    CU_ASSERT_STRING_EQUAL(table.rows[0].way, "board");
}

/* On another rank: bytes are added, times count if they are longer. */
static void test_joins(void)
{
    mca_coll_irr_row_t row = row_of("a", "MPI_Alltoallv", 4);

    empty_table();
    mca_coll_irr_table_add(&table, &row, false);
    row.communicators = row.exchanges = 0;
    row.ns = 5000;
    row.setup_ns = 10;
    mca_coll_irr_table_add(&table, &row, false);
    CU_ASSERT_EQUAL_FATAL(table.count, 1);
    CU_ASSERT_EQUAL(table.rows[0].communicators, 1);
    CU_ASSERT_EQUAL(table.rows[0].exchanges, 10);
    CU_ASSERT_EQUAL(table.rows[0].messages, 120);
    CU_ASSERT_EQUAL(table.rows[0].room, 240);
    CU_ASSERT_EQUAL(table.rows[0].ns, 5000);
    CU_ASSERT_EQUAL(table.rows[0].setup_ns, 100);
}

/* Another name, collective or number of ranks is another row; other ways in one row are said to be several. */
static void test_kinds(void)
{
    mca_coll_irr_row_t rows[] = { row_of("a", "MPI_Alltoallv", 4), row_of("b", "MPI_Alltoallv", 4),
                                  row_of("a", "MPI_Alltoall", 4), row_of("a", "MPI_Alltoallv", 2) };

    empty_table();
    for (int i = 0; i < 4; i++) {
        rows[i].ns = (uint64_t)i;
        mca_coll_irr_table_add(&table, &rows[i], true);
    }
    CU_ASSERT_EQUAL_FATAL(table.count, 4);
    snprintf(rows[3].way, sizeof(rows[3].way), "a1");
    mca_coll_irr_table_add(&table, &rows[3], true);
    CU_ASSERT_STRING_EQUAL(table.rows[3].way, "several ways");
    mca_coll_irr_table_sort(&table);
    CU_ASSERT_EQUAL(table.rows[0].ranks, 2);
    CU_ASSERT_EQUAL(table.rows[3].ns, 0);
}

/* However many kinds come, nothing is lost, and there are no more rows than there may be. */
static void test_bounded(void)
{
    uint64_t seed = irr_test_seed(), exchanges = 0, bytes = 0;
    mca_coll_irr_row_t row;
    char name[32];

    empty_table();
    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof(name), "%d", (int)irr_test_below(&seed, 300));
        row = row_of(name, irr_test_below(&seed, 2) == 0 ? "MPI_Alltoallv" : "MPI_Alltoall",
                     2 + (int)irr_test_below(&seed, 200));
        mca_coll_irr_table_add(&table, &row, irr_test_below(&seed, 2) == 0);
    }
    CU_ASSERT_EQUAL(table.count, MCA_COLL_IRR_ROWS);
    for (int i = 0; i < table.count; i++) {
        exchanges += table.rows[i].exchanges;
        bytes += table.rows[i].bytes;
        CU_ASSERT_TRUE(mca_coll_irr_row_is_sound(&table.rows[i]));
    }
    CU_ASSERT_EQUAL(exchanges, 10000);
    CU_ASSERT_EQUAL(bytes, 6000000);
    CU_ASSERT_STRING_EQUAL(table.rows[MCA_COLL_IRR_ROWS - 1].name, "others");
    CU_ASSERT_EQUAL(table.rows[MCA_COLL_IRR_ROWS - 1].ranks, 0);
}

/* ---- hostile rows ---- */

static void test_unsound(void)
{
    mca_coll_irr_row_t row = row_of("a", "MPI_Alltoallv", 4), bad;

    CU_ASSERT_TRUE(mca_coll_irr_row_is_sound(&row));
    bad = row;
    memset(bad.name, 'x', sizeof(bad.name));
    CU_ASSERT_FALSE(mca_coll_irr_row_is_sound(&bad));
    bad = row;
    memset(bad.why, 'x', sizeof(bad.why));
    CU_ASSERT_FALSE(mca_coll_irr_row_is_sound(&bad));
    bad = row;
    bad.ways = MCA_COLL_IRR_ROW_WAYS + 1;
    CU_ASSERT_FALSE(mca_coll_irr_row_is_sound(&bad));
    bad = row;
    bad.ranks = -1;
    CU_ASSERT_FALSE(mca_coll_irr_row_is_sound(&bad));
    bad = row;
    memset(bad.list[0].way, 'x', sizeof(bad.list[0].way));
    CU_ASSERT_FALSE(mca_coll_irr_row_is_sound(&bad));
    bad = row;
    memset(&bad.list[0].ratio, 0xff, sizeof(bad.list[0].ratio));   /* no number */
    CU_ASSERT_FALSE(mca_coll_irr_row_is_sound(&bad));
}

/* ---- text and JSON ---- */

typedef void (*writer_t)(const mca_coll_irr_table_t *table, const mca_coll_irr_job_t *job, FILE *stream);

/* From malloc. */
static char *written(writer_t write, int ranks, int told)
{
    const mca_coll_irr_job_t job = { .version = "1.2.3", .ranks = ranks, .told = told };
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);

    CU_ASSERT_PTR_NOT_NULL_FATAL(stream);
    write(&table, &job, stream);
    CU_ASSERT_EQUAL_FATAL(fclose(stream), 0);
    return text;
}

static void has(const char *text, const char *part)
{
    CU_ASSERT_PTR_NOT_NULL(strstr(text, part));
    if (strstr(text, part) == NULL) {
        printf("# not there: %s\n", part);
    }
}

static void test_text(void)
{
    mca_coll_irr_row_t row = row_of("MPI_COMM_WORLD", "MPI_Alltoallv", 4);
    char *text;

    empty_table();
    row.communicators = 1000;
    row.ns = 4100000000;
    row.setup_ns = 41000000;
    mca_coll_irr_table_add(&table, &row, true);
    text = written(mca_coll_irr_table_print, 4, 3);
    has(text, "in a job of 4 ranks");
    has(text, "Only 3 ranks have told");
    has(text, "\nMPI_COMM_WORLD x 1000, MPI_Alltoallv, 4 ranks on 1 node: board\n");
    has(text, "   6.0 kB    100 B    200 B   50%    4.1 s    41 ms   1.0%    50 ns\n");
    has(text, "    because of something; tried 1 way in 20 exchanges; 2 agreements\n");
    has(text, "    trials, of the time of Open MPI's own: board 0.50\n");
    free(text);
    empty_table();
    text = written(mca_coll_irr_table_print, 4, 4);
    has(text, "none\n");
    CU_ASSERT_PTR_NULL(strstr(text, "have told"));
    free(text);
}

static void test_json(void)
{
    mca_coll_irr_row_t row = row_of("a \"b\" \\ \n\x01\xff", "MPI_Alltoallv", 4);
    char *text;

    empty_table();
    mca_coll_irr_table_add(&table, &row, true);
    text = written(mca_coll_irr_table_json, 4, 4);
    has(text, "{\"program\": \"coll_irr\", \"version\": \"1.2.3\", \"ranks\": 4, \"ranks_told\": 4,");
    has(text, "\"communicator\": \"a ?b? ? ???\", \"call\": \"MPI_Alltoallv\", \"ranks\": 4, \"nodes\": 1, ");
    has(text, "\"mean_message\": 100, \"longest_message\": 200, \"density\": 0.500, \"way\": \"board\", ");
    has(text, "\"ways\": [{\"way\": \"board\", \"ratio\": 0.500}], \"tried\": 1, ");
    has(text, "\"time_ns\": 1000, \"setup_ns\": 100, \"setup_share\": 0.100, \"saved_ns\": 50}]}\n");
    free(text);
}

/* A row of nothing: what is not known is null. */
static void test_json_of_nothing(void)
{
    const mca_coll_irr_row_t row = { .ranks = 0 };
    char *text;

    empty_table();
    mca_coll_irr_table_add(&table, &row, true);
    text = written(mca_coll_irr_table_json, 2, 2);
    has(text, "\"communicator\": null, \"call\": null, \"ranks\": null, \"nodes\": null, ");
    has(text, "\"mean_message\": null, \"longest_message\": null, \"density\": null, ");
    has(text, "\"setup_share\": null, \"saved_ns\": null}]}\n");
    free(text);
}

static const irr_test_case_t cases[] = {
    { "bytes and times have units", test_units },
    { "the ways that were tried, and no more than have room", test_ways },
    { "rows of one kind are summed", test_sums },
    { "rows of several ranks are joined", test_joins },
    { "rows of other kinds are others", test_kinds },
    { "a table is bounded, and loses nothing", test_bounded },
    { "a row from elsewhere is checked", test_unsound },
    { "a table", test_text },
    { "JSON", test_json },
    { "JSON of nothing", test_json_of_nothing },
    { NULL, NULL }
};

int main(void)
{
    return irr_test_main("rows", cases, 60);
}

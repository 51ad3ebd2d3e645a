/*
 * test_settings.c - the table of settings: each row reads its default, refuses values that are not allowed, and
 * distinguishes values.
 */
#include "irr_test.h"

#include "plan/settings.h"

IRR_TEST(test_rows, "each row reads its default and has a short help text")
{
    int rows = 0;

    for (const irr_setting_t *row; (row = irr_setting_at(rows)) != NULL; rows++) {
        irr_settings_t settings = irr_settings_default();
        char allowed[256];

        CU_ASSERT(strlen(row->help) <= 280 && row->help[strlen(row->help) - 1] == '.');
        CU_ASSERT(row->level == IRR_SETTING_USER || row->level == IRR_SETTING_EXPERT ||
                  row->level == IRR_SETTING_DEVELOPER);
        CU_ASSERT_PTR_EQUAL(irr_setting_find(row->name), row);
        CU_ASSERT(irr_setting_parse(row, row->standard, &settings));
        irr_setting_allowed(row, allowed, sizeof(allowed));
        CU_ASSERT(allowed[0] != '\0' && strlen(allowed) < sizeof(allowed) - 1);
    }
    CU_ASSERT(rows > 20 && rows <= IRR_SETTINGS_MAX);
    CU_ASSERT_PTR_NULL(irr_setting_find("colour"));
    CU_ASSERT_PTR_NULL(irr_setting_at(-1));
}

/*
 * Texts of a setting, separated by "|": texts with their values, which differ from the value before, and texts that are
 * not allowed.
 */
static const struct { const char *name, *good, *bad; } cases[] = {
    { "window_bytes", "12=12|4k=4096|2M=2097152", "12q|-3||99999999999999999999|99999999999999g|1kk|auto| 1" },
    { "lead_bytes", "auto=auto|0=0", "some" },
    { "timeout", "1000000000=1000000000", "1000000001" },
    { "max_steps", "7=7", "-1|2147483648|7x" },
    { "xor_shift", "1=1", "2|10" },
    { "pacing", "Grant=grant", "fast" },
    { "compose", "split=split", "" },
    { "dims", "8=8|8x4=8x4|AUTO=auto|2^6=2x2x2x2x2x2|2^7=2x2^6|16x2^3=16x2x2x2|2^2x5=2x2x5|2^15=2^14x2|2^14x3=2x2^13x3",
      "|x|8x|x8|8x1|1x8|8x2^0|2^16|2x2^15|8x99999999999|8 x 4|-8|8x4 |2^|2^2^2|autox2" },
    { "lambda", "one=fixed:1|fixed:.25=fixed:0.25|fixed:1.0=one|incremental=Incremental:0.75|fixed:0.8=fixed:0.800000|"
      "proportional:0.8=proportional:.8|proportional:100=proportional:100.0|search=SEARCH",
      "|none|fixed|fixed:|fixed:0|fixed:0.000001|fixed:1.1|fixed:-1|fixed:.|fixed:1..0|fixed:0.5x|fixed:1e-1|"
      "fixed:0.1234567890|fixed:9999999999|proportional|proportional:101|incremental:|incremental:2|one:1|fixe:0.5|"
      "fixed 0.5| one|search:1|search:" },
    { "redistribution", "2,4,3,4=2,4,3,4,48|4,2,3,4=4,2,3,4,0|2,4,3,5=2,4,3,5|NONE=none",
      "|1|1,2,3|1,2,3,|1,2,3,4,|1,2,3,4,5,|1,2,3,4,5,6|0,1,1,1|1,1,1,0|1,1,1,1,-1| 1,1,1,1|1,1,1,1 |1;1;1;1|"
      "1,4294967296,1,1|99999999999999999999,1,1,1|9223372036854775807,2,3,2|x,p,y,q" },
    { "topology_file", "any=other", NULL }
};

/* A text has the value that is behind "=". If the value has no text, the value is another text with the same value. */
static void expect_value(const irr_setting_t *row, char *item, irr_settings_t *settings)
{
    const uint64_t before = irr_setting_word(row, settings);
    char *text = strsep(&item, "="), shown[32];
    uint64_t word;

    CU_ASSERT(irr_setting_parse(row, text, settings));
    word = irr_setting_word(row, settings);
    CU_ASSERT(word != before || strcmp(text, "auto") == 0);
    if (irr_setting_text(row, word, shown, sizeof(shown))) {
        CU_ASSERT_STRING_EQUAL(shown, item);
    } else {
        CU_ASSERT(irr_setting_parse(row, item, settings));
        CU_ASSERT_EQUAL(irr_setting_word(row, settings), word);
    }
}

IRR_TEST(test_values, "valid texts are read completely, and other texts are refused")
{
    char list[512], *rest, *item;

    for (size_t i = 0; i < IRR_TEST_COUNT(cases); i++) {
        const irr_setting_t *row = irr_setting_find(cases[i].name);
        irr_settings_t settings = irr_settings_default();
        uint64_t before;

        strcpy(list, cases[i].good);
        for (rest = list; (item = strsep(&rest, "|")) != NULL;) {
            expect_value(row, item, &settings);
        }
        before = irr_setting_word(row, &settings);
        strcpy(list, cases[i].bad != NULL ? cases[i].bad : "");
        for (rest = cases[i].bad != NULL ? list : NULL; (item = strsep(&rest, "|")) != NULL;) {
            CU_ASSERT_FALSE(irr_setting_parse(row, item, &settings));
            CU_ASSERT_EQUAL(irr_setting_word(row, &settings), before);
        }
    }
}

/* Parameters have the same defaults as the settings of the engine, except limits of memory and time. */
IRR_TEST(test_defaults, "parameters have the defaults of the engine")
{
    static const char *const limits[] = { "matrix_max_bytes", "schedule_ms", "cache_bytes" };

    for (int i = 0; irr_setting_at(i) != NULL; i++) {
        const irr_setting_t *row = irr_setting_at(i);
        irr_settings_t settings = irr_settings_default();
        const uint64_t before = irr_setting_word(row, &settings);
        bool is_limit = false;

        for (size_t k = 0; k < IRR_TEST_COUNT(limits); k++) {
            is_limit = is_limit || strcmp(limits[k], row->name) == 0;
        }
        CU_ASSERT(irr_setting_parse(row, row->standard, &settings));
        CU_ASSERT(is_limit || row->type == IRR_SETTING_REDISTRIBUTION || irr_setting_word(row, &settings) == before);
    }
}

IRR_TEST_MAIN("settings", 60)

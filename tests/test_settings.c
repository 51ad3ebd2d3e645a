/*
 * test_settings.c - the table of settings: each row reads its default, refuses values that are not allowed, and
 * distinguishes values.
 */
#include "irr_test.h"

#include "plan/settings.h"

#include <string.h>

static void test_rows(void)
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
 * A setting, a text, whether the text is allowed, and the value as a text; NULL: the value is a hash, which has no
 * text.
 */
static const struct {
    const char *name, *text;
    bool        good;
    const char *value;
} cases[] = {
    { "window_bytes", "12", true, "12" }, { "window_bytes", "4k", true, "4096" },
    { "window_bytes", "2M", true, "2097152" },
    { "window_bytes", "12q", false, NULL }, { "window_bytes", "-3", false, NULL }, { "window_bytes", "", false, NULL },
    { "window_bytes", "99999999999999999999", false, NULL }, { "window_bytes", "99999999999999g", false, NULL },
    { "window_bytes", "1kk", false, NULL }, { "window_bytes", "auto", false, NULL },
    { "window_bytes", " 1", false, NULL },
    { "lead_bytes", "auto", true, "auto" }, { "lead_bytes", "0", true, "0" }, { "lead_bytes", "some", false, NULL },
    { "timeout", "1000000000", true, "1000000000" }, { "timeout", "1000000001", false, NULL },
    { "max_steps", "7", true, "7" }, { "max_steps", "-1", false, NULL }, { "max_steps", "2147483648", false, NULL },
    { "max_steps", "7x", false, NULL }, { "xor_shift", "1", true, "1" }, { "xor_shift", "2", false, NULL },
    { "xor_shift", "10", false, NULL }, { "pacing", "Grant", true, "grant" }, { "pacing", "fast", false, NULL },
    { "compose", "split", true, "split" }, { "compose", "", false, NULL }, { "dims", "2x4", true, NULL },
    { "dims", "1x8", false, NULL }, { "lambda", "fixed:0.5", true, NULL }, { "lambda", "fixed:2", false, NULL },
    { "redistribution", "2,4,3,4", true, NULL }, { "redistribution", "1,2,3", false, NULL },
    { "topology_file", "any", true, NULL }
};

static void test_values(void)
{
    for (size_t i = 0; i < IRR_TEST_COUNT(cases); i++) {
        const irr_setting_t *row = irr_setting_find(cases[i].name);
        irr_settings_t settings = irr_settings_default();
        const uint64_t before = irr_setting_word(row, &settings);
        char text[32];

        CU_ASSERT_EQUAL(irr_setting_parse(row, cases[i].text, &settings), cases[i].good);
        if (!cases[i].good) {
            CU_ASSERT_EQUAL(irr_setting_word(row, &settings), before);
        } else if (cases[i].value == NULL) {
            CU_ASSERT_FALSE(irr_setting_text(row, irr_setting_word(row, &settings), text, sizeof(text)));
            CU_ASSERT_NOT_EQUAL(irr_setting_word(row, &settings), before);
        } else {
            CU_ASSERT(irr_setting_text(row, irr_setting_word(row, &settings), text, sizeof(text)));
            CU_ASSERT_STRING_EQUAL(text, cases[i].value);
        }
    }
}

/* Parameters have the same defaults as the settings of the engine, except limits of memory and time. */
static void test_defaults(void)
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

IRR_TEST_MAIN("settings", 60,
    { "each row reads its default and has a short help text", test_rows },
    { "values are read whole or refused", test_values },
    { "defaults of parameters are those of the engine", test_defaults })

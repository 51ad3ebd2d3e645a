/*
 * coll_irr_messages.c - the output streams of user messages and of the log of coll_irr_verbose, for the component and
 * the engine.  Also finds bad values and misspelt names of parameters, and reports them in MPI_Init, with files that a
 * process cannot use (coll_irr_paths.c), and with an ignored copy of coll/irr (coll_irr_copies.c).
 *
 * Open MPI ignores parameters that are not registered.  This file looks for such names that begin with coll_irr_ in the
 * environment, and in the parameter files that Open MPI has read.
 *
 * Usually all processes of a job find the same mistakes.  A process that finds mistakes therefore publishes a digest of
 * them, with the values that MPI_Init exchanges between all processes.  It prints nothing if a process of a lower rank
 * has published the same digest.  A process without mistakes publishes and looks up nothing.
 */
#include "coll_irr.h"
#include "coll_irr_settings.h"

#include "core/hash.h"

#include <stdarg.h>

#define BAD_TEXT 1024

/* The most mistakes that a process reports. */
enum { MISTAKES = 64 };

static struct {
    char     mistakes[MISTAKES][BAD_TEXT];   /* user messages */
    int      count;
    uint64_t digest;
    bool     warned;   /* this process, or one with a lower rank, has warned the user */
} found;

/*
 * Writes the message to stderr, framed as Open MPI frames its messages.  Open MPI's own function would aggregate the
 * messages of all ranks over PMIx, which garbles or loses some of them in 4.1.
 */
void mca_coll_irr_warn(const char *format, ...)
{
    static const char rule[] = "--------------------------------------------------------------------------";
    static char last[1024];
    char text[sizeof(last)];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    if (strcmp(text, last) == 0 || (found.warned && mca_coll_irr_is_told(text))) {
        return;
    }
    memcpy(last, text, sizeof(last));
    opal_output(mca_coll_irr_component.help_output, "%s\ncoll/irr: host %s, rank %u of MPI_COMM_WORLD: %s\n%s", rule,
                mca_coll_irr_process_info.nodename, mca_coll_irr_my_process(), text, rule);
}

/* A line of the engine's log: errors and warnings are user messages. */
static void on_log(void *context, irr_log_level_t level, const char *text)
{
    (void)context;
    if (level > IRR_LOG_WARN) {
        opal_output_verbose(level == IRR_LOG_INFO ? 1 : 10, mca_coll_irr_component.output, "coll:irr: %s", text);
        return;
    }
    mca_coll_irr_warn("%s", text);
}

static int open_help_output(void)
{
    opal_output_stream_t stream;

    OBJ_CONSTRUCT(&stream, opal_output_stream_t);
    stream.lds_want_stderr = true;
    return opal_output_open(&stream);
}

void mca_coll_irr_messages_open(void)
{
    mca_coll_irr_component.output = opal_output_open(NULL);
    opal_output_set_verbosity(mca_coll_irr_component.output, mca_coll_irr_component.params.verbose);
    mca_coll_irr_component.help_output = open_help_output();
    irr_log_set(on_log, NULL, mca_coll_irr_component.params.verbose > 0 ? IRR_LOG_DEBUG : IRR_LOG_WARN);
    irr_log_prefix_set(MCA_COLL_IRR_PREFIX);
}

void mca_coll_irr_messages_close(void)
{
    irr_log_set(NULL, NULL, IRR_LOG_ERROR);
    irr_log_prefix_set("");   /* the prefix is unloaded with the component */
    opal_output_close(mca_coll_irr_component.help_output);
    opal_output_close(mca_coll_irr_component.output);
}

/* ---- bad values ---- */

static void bad_text(const mca_coll_irr_bad_t *bad, char text[BAD_TEXT])
{
    char allowed[256];

    irr_setting_allowed(bad->setting->row, allowed, sizeof(allowed));
    snprintf(text, BAD_TEXT, "the value of a parameter is not allowed.  Open MPI's own algorithms serve all\n"
             "communicators that would use this value.\n\n  Parameter: %s\n  Value:     %s\n  Allowed:   %s\n\n"
             "A parameter is set with --mca, in the environment, in a parameter file, or, for\nmost parameters, as an "
             "info key of a communicator.", bad->setting->parameter, bad->value, allowed);
}

void mca_coll_irr_warn_bad(const mca_coll_irr_bad_t *bad)
{
    char text[BAD_TEXT];

    bad_text(bad, text);
    mca_coll_irr_warn("%s", text);
}

/* ---- mistakes in parameters ---- */

#define KEY "coll.irr.wrong"
#define ENVIRONMENT "OMPI_MCA_"

extern char **environ;

/* Stores a user message, unless it is already stored. */
static void note(const char *text)
{
    for (int i = 0; i < found.count; i++) {
        if (strcmp(found.mistakes[i], text) == 0) {
            return;
        }
    }
    if (found.count < MISTAKES) {
        snprintf(found.mistakes[found.count++], sizeof(found.mistakes[0]), "%s", text);
    }
}

/* ---- names ---- */

/* The length of the longer name without the common beginning and the common end. */
static size_t distance_of(const char *one, const char *other)
{
    const size_t letters = strlen(one), others = strlen(other), shorter = letters < others ? letters : others;
    size_t begin = 0, end = 0;

    while (begin < shorter && one[begin] == other[begin]) {
        begin++;
    }
    while (begin + end < shorter && one[letters - 1 - end] == other[others - 1 - end]) {
        end++;
    }
    return (letters > others ? letters : others) - begin - end;
}

/* Returns the closest registered name, or NULL if no name is close. */
static const char *nearest_of(const char *name)
{
    const mca_base_var_group_t *group;
    const int index = mca_base_var_group_find("ompi", "coll", "irr");
    const char *nearest = NULL;
    const int *variables;
    size_t least = strlen(name) < 16 ? 3 : 5;   /* a name at this distance or more is not suggested */

    if (index < 0 || mca_base_var_group_get(index, &group) != OPAL_SUCCESS) {
        return NULL;
    }
    variables = OPAL_VALUE_ARRAY_GET_BASE(&group->group_vars, const int);
    for (size_t i = 0; i < opal_value_array_get_size((opal_value_array_t *)&group->group_vars); i++) {
        const mca_base_var_t *variable;

        if (mca_base_var_get(variables[i], &variable) == OPAL_SUCCESS) {
            const size_t distance = distance_of(name, variable->mbv_full_name);

            if (distance < least) {
                least = distance;
                nearest = variable->mbv_full_name;
            }
        }
    }
    return nearest;
}

/* Writes the names that end with this name's words: coll_irr_alltoallv_algorithm for coll_irr_algorithm. */
static void list_longer(const char *name, char *advice, size_t size)
{
    const char *end = name + strlen(MCA_COLL_IRR_PREFIX) - 1;   /* with its underscore */
    size_t used = 0;

    for (int i = 0; mca_coll_irr_setting_at(i) != NULL; i++) {
        const char *longer = mca_coll_irr_setting_at(i)->parameter;

        if (strlen(longer) > strlen(name) && strcmp(longer + strlen(longer) - strlen(end), end) == 0 && used < size) {
            used += (size_t)snprintf(advice + used, size - used, "%s%s", used == 0 ? "use " : " or ", longer);
        }
    }
}

static void note_name(const char *name, const char *value, const char *where)
{
    char text[768], advice[256] = "ompi_info --param coll irr --level 9 lists all";
    const char *nearest;
    int index;

    if (strncmp(name, MCA_COLL_IRR_PREFIX, strlen(MCA_COLL_IRR_PREFIX)) != 0 ||
        mca_base_var_find_by_name(name, &index) == OPAL_SUCCESS) {
        return;
    }
    nearest = nearest_of(name);
    if (nearest != NULL) {
        snprintf(advice, sizeof(advice), "did you mean %s?", nearest);
    } else {
        list_longer(name, advice, sizeof(advice));
    }
    snprintf(text, sizeof(text), "there is no parameter %.80s, which %.200s sets to '%.64s', so it has no effect; %s",
             name, where, value, advice);
    note(text);
}

static void check_environment(void)
{
    for (char **entry = environ; entry != NULL && *entry != NULL; entry++) {
        const char *equals = strchr(*entry, '=');
        char name[128];

        if (strncmp(*entry, ENVIRONMENT MCA_COLL_IRR_PREFIX, strlen(ENVIRONMENT MCA_COLL_IRR_PREFIX)) == 0 &&
            equals != NULL) {
            const char *begin = *entry + strlen(ENVIRONMENT);

            snprintf(name, sizeof(name), "%.*s", (int)(equals - begin), begin);
            note_name(name, equals + 1, "the environment, or --mca,");
        }
    }
}

/* A line is "name = value"; Open MPI handles all other lines. */
static void check_line(char *line, const char *path)
{
    char *begin = line + strspn(line, " \t"), *equals = strchr(begin, '=');
    char *value = equals != NULL ? equals + 1 + strspn(equals + 1, " \t") : NULL;

    if (equals == NULL || *begin == '#') {
        return;
    }
    value[strcspn(value, "\r\n")] = '\0';
    begin[strcspn(begin, " \t=")] = '\0';
    note_name(begin, value, path);
}

static void check_file(const char *path)
{
    FILE *file = fopen(path, "re");
    char line[1024];

    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        check_line(line, path);
    }
    if (file != NULL) {
        fclose(file);
    }
}

char *mca_coll_irr_base_parameter(const char *name)
{
    const int index = mca_base_var_find("opal", "mca", "base", name);
    char *const *value = NULL;

    if (index < 0 || mca_base_var_get_value(index, &value, NULL, NULL) != OPAL_SUCCESS || value == NULL) {
        return NULL;
    }
    return *value != NULL ? strdup(*value) : NULL;
}

/* A parameter of Open MPI lists the files, separated by commas or colons. */
static void check_files(const char *parameter)
{
    char *list = mca_coll_irr_base_parameter(parameter), *rest = NULL;

    for (char *path = list != NULL ? strtok_r(list, ",:", &rest) : NULL; path != NULL;
         path = strtok_r(NULL, ",:", &rest)) {
        check_file(path);
    }
    free(list);
}

/* ---- values ---- */

static void check_values(void)
{
    char text[BAD_TEXT];
    mca_coll_irr_bad_t bad;

    for (int i = 0; mca_coll_irr_setting_at(i) != NULL; i++) {
        if (mca_coll_irr_setting_is_bad(mca_coll_irr_setting_at(i), NULL, &bad)) {
            bad_text(&bad, text);
            note(text);
        }
    }
}

/* ---- publish, report ---- */

void mca_coll_irr_check_open(void)
{
    char text[BAD_TEXT];

    memset(&found, 0, sizeof(found));
    if (mca_coll_irr_component.params.priority < 0 || !mca_coll_irr_modex_works()) {
        return;   /* coll/irr is disabled, or the process is not in a job */
    }
    check_environment();
    check_files("param_files");
    check_files("override_param_file");
    check_values();
    for (int i = 0; i < mca_coll_irr_paths(); i++) {
        if (mca_coll_irr_bad_path(i, text, sizeof(text))) {
            note(text);
        }
    }
    if (mca_coll_irr_find_copy(text, sizeof(text))) {
        note(text);
    }
    found.digest = IRR_HASH_BASIS;
    for (int i = 0; i < found.count; i++) {
        found.digest = irr_hash_text(found.digest, found.mistakes[i]);
    }
    if (found.count > 0) {
        (void)mca_coll_irr_modex_put(KEY, found.digest);
    }
}

static bool others_report(void)
{
    opal_process_name_t name = *OMPI_PROC_MY_NAME;
    uint64_t digest = 0;

    for (unsigned rank = 0; rank < mca_coll_irr_my_process(); rank++) {
        name.vpid = rank;
        if (mca_coll_irr_modex_get(KEY, &name, &digest) == OMPI_SUCCESS && digest == found.digest) {
            return true;
        }
    }
    return false;
}

void mca_coll_irr_check_warn(void)
{
    if (found.count == 0) {
        return;
    }
    found.warned = others_report();
    if (found.warned) {
        return;
    }
    for (int i = 0; i < found.count; i++) {
        mca_coll_irr_warn("%s", found.mistakes[i]);
    }
    found.warned = true;
}

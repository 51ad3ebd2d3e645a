/*
 * plan_emit.c - emit-c: writes a C file with an MPI_Alltoall for the ranks on their hosts.
 *
 *     Faraj, Yuan: Message scheduling for all-to-all personalized communication on Ethernet switched clusters,
 *     section 5: the automatic routine generator
 *
 * alltoall.c.in has the part that is the same for all clusters; the build puts its lines into alltoall_lines.h.  Two of
 * these lines are placeholders: for a part of the comment at the top, and for the tables.
 */
#include "plan.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#define NAME_MAX_SIGNS 64   /* characters of a name in the comment */

/* Above LARGE_BYTES a warning announces that compilers take long: 1024 ranks can make 100 MB. */
#define LARGE_BYTES 10000000

static const char *const lines[] = {
#include "alltoall_lines.h"
};

static const char as_if[] = "the phases are made as if all links had the speed of a host's";

typedef struct emitter {
    FILE                     *stream;
    const irr_tool_job_t     *job;
    const irr_tool_routine_t *routine;
    uint64_t                  bytes;     /* written so far; a pipe has no position */
} emitter_t;

static void put(emitter_t *emitter, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(emitter_t *emitter, const char *format, ...)
{
    va_list arguments;
    int bytes;

    va_start(arguments, format);
    bytes = vfprintf(emitter->stream, format, arguments);
    va_end(arguments);
    emitter->bytes += bytes > 0 ? (uint64_t)bytes : 0;
}

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c != '\0' && strchr("-_.:+@", c) != NULL);
}

/* ---- the comment ---- */

/* Returns true if a used link has another speed than the hosts' links, which the phases are computed for. */
static bool has_speeds(const irr_tree_t *tree)
{
    for (int v = 0; v < tree->links; v++) {
        if (tree->parent[v] >= 0 && tree->speed[v] != tree->base) {
            return true;
        }
    }
    return false;
}

/* Writes a name into the comment; no name can end the comment. */
static void write_name(emitter_t *emitter, const char *name)
{
    for (int i = 0; name[i] != '\0' && i < NAME_MAX_SIGNS; i++) {
        put(emitter, "%c", is_plain(name[i]) ? name[i] : '_');
    }
}

static const char *file_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

static void write_summary(emitter_t *emitter)
{
    const irr_tool_routine_t *routine = emitter->routine;

    put(emitter, " * MPI_Alltoall for one cluster, written by irr_plan emit-c from ");
    write_name(emitter, file_of(emitter->job->options->topology));
    put(emitter, ".\n *\n * %d ranks on %d host%s, %d phase%s, %zu synchronisations, from which %" PRIu64
        " others follow.\n", routine->ranks, emitter->job->topology->hosts,
        emitter->job->topology->hosts == 1 ? "" : "s", routine->phases, routine->phases == 1 ? "" : "s",
        routine->syncs, routine->removed);
    if (has_speeds(emitter->job->tree)) {
        put(emitter, " * The cluster has links of several speeds; %s.\n", as_if);
    }
}

/* ---- the tables ---- */

/* Writes a string literal.  Characters with a meaning in C or in trigraphs become numbers. */
static void write_string(emitter_t *emitter, const char *text)
{
    put(emitter, "\"");
    for (; *text != '\0'; text++) {
        if (is_plain(*text)) {
            put(emitter, "%c", *text);
        } else {
            put(emitter, "\\%03o", (unsigned)(unsigned char)*text);
        }
    }
    put(emitter, "\"");
}

static void write_hosts(emitter_t *emitter)
{
    const irr_tool_job_t *job = emitter->job;

    put(emitter, "static const char *const hosts[RANKS] = {\n");
    for (int r = 0; r < emitter->routine->ranks; r++) {
        put(emitter, "    ");
        write_string(emitter, job->topology->names[job->host_of[r]]);
        put(emitter, ",\n");
    }
    put(emitter, "};\n\n");
}

/* Writes where the steps of each rank begin, and where those of the last rank end. */
static void write_first(emitter_t *emitter)
{
    const irr_tool_routine_t *routine = emitter->routine;
    size_t first = 0;

    put(emitter, "static const int first_step[RANKS + 1] = {");
    for (int r = 0; r <= routine->ranks; r++) {
        put(emitter, "%s%zu%s", r % 10 == 0 ? "\n    " : " ", first, r < routine->ranks ? "," : "");
        first += r < routine->ranks ? (size_t)routine->count[r] : 0;
    }
    put(emitter, "\n};\n\n");
}

static void write_peer(emitter_t *emitter, int peer)
{
    if (peer == IRR_TOOL_NOBODY) {
        put(emitter, ", NOBODY");
    } else {
        put(emitter, ", %d", peer);
    }
}

static void write_steps(emitter_t *emitter)
{
    const irr_tool_routine_t *routine = emitter->routine;

    put(emitter, "/* Each in the order of the structure. */\nstatic const step_t steps[] = {\n");
    for (int r = 0; r < routine->ranks; r++) {
        put(emitter, "    /* rank %d */\n", r);
        for (int k = 0; k < routine->count[r]; k++) {
            const irr_tool_step_t *step = &routine->steps[(size_t)r * routine->room + (size_t)k];

            put(emitter, "    { %d", step->phase);
            write_peer(emitter, step->to);
            write_peer(emitter, step->from);
            put(emitter, ", %zu, %d, %d },\n", step->sync, step->waits, step->signals);
        }
    }
    put(emitter, "};\n\n");
}

static void write_syncs(emitter_t *emitter)
{
    const irr_tool_routine_t *routine = emitter->routine;

    put(emitter, "static const sync_t syncs[] = {");
    for (size_t i = 0; i < 2 * routine->syncs; i++) {
        put(emitter, "%s{ %d, %d },", i % 6 == 0 ? "\n    " : " ", routine->entries[i].peer,
            routine->entries[i].phase);
    }
    put(emitter, "\n    { NOBODY, 1 }   /* no step has this one */\n};\n");
}

static void write_tables(emitter_t *emitter)
{
    const irr_tool_routine_t *routine = emitter->routine;

    put(emitter,
        "/* Most steps of a rank, waits of a step, and tells of all steps of a rank, or 1. */\n"
        "enum { RANKS = %d, STEPS_MAX = %d, WAITS_MAX = %d, TELLS_MAX = %d };\n\n", routine->ranks,
        routine->steps_max, routine->waits_max, routine->signals_max > 0 ? routine->signals_max : 1);
    write_hosts(emitter);
    write_first(emitter);
    write_steps(emitter);
    write_syncs(emitter);
}

/* ---- the file ---- */

irr_cli_exit_t irr_tool_emit(const irr_tool_job_t *job)
{
    emitter_t emitter = { .stream = job->stream, .job = job, .routine = job->routine };

    if (has_speeds(job->tree)) {
        irr_cli_complain("%.256s has links of several speeds; %s", job->options->topology, as_if);
    }
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        if (strcmp(lines[i], "@SUMMARY@\n") == 0) {
            write_summary(&emitter);
        } else if (strcmp(lines[i], "@TABLES@\n") == 0) {
            write_tables(&emitter);
        } else {
            put(&emitter, "%s", lines[i]);
        }
    }
    if (emitter.bytes > LARGE_BYTES) {
        irr_cli_complain("%.256s: %.1f MB for %d phases and %zu synchronisations; compilers take long for so much",
                         job->options->output != NULL ? job->options->output : "stdout", (double)emitter.bytes / 1e6,
                         job->routine->phases, job->routine->syncs);
    }
    return IRR_CLI_GOOD;
}

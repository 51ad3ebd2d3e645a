/*
 * plan_emit.c - emit-c: a C file with an MPI_Alltoall for the ranks on their hosts.
 *
 *     Faraj, Yuan: Message scheduling for all-to-all personalized communication on Ethernet switched clusters,
 *     section 5: the automatic routine generator
 *
 * What is the same for all clusters is alltoall.c.in, whose lines the build puts into alltoall_lines.h.  Two of
 * them stand for what differs: a part of the comment at the top, and the tables.
 */
#include "plan.h"

#include <inttypes.h>
#include <string.h>

#define NAME_MAX_SIGNS 64   /* of a name in the comment */

static const char *const lines[] = {
#include "alltoall_lines.h"
};

static const char as_if[] = "the phases are made as if all links had the speed of a host's";

typedef struct emitter {
    FILE                     *stream;
    const irr_tool_job_t     *job;
    const irr_tool_routine_t *routine;
} emitter_t;

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c != '\0' && strchr("-_.:+@", c) != NULL);
}

/* ---- the comment ---- */

/* Is a link that ranks use faster or slower than the hosts, by which the phases are counted? */
static bool has_speeds(const irr_tree_t *tree)
{
    for (int v = 0; v < tree->links; v++) {
        if (tree->parent[v] >= 0 && tree->speed[v] != tree->base) {
            return true;
        }
    }
    return false;
}

/* No name may end the comment. */
static void write_name(FILE *stream, const char *name)
{
    for (int i = 0; name[i] != '\0' && i < NAME_MAX_SIGNS; i++) {
        fputc(is_plain(name[i]) ? name[i] : '_', stream);
    }
}

static const char *file_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

static void write_summary(const emitter_t *emitter)
{
    const irr_tool_routine_t *routine = emitter->routine;
    FILE *stream = emitter->stream;

    fputs(" * MPI_Alltoall for one cluster, written by irr_plan emit-c from ", stream);
    write_name(stream, file_of(emitter->job->options->topology));
    fprintf(stream, ".\n *\n * %d ranks on %d host%s, %d phase%s, %zu synchronisations, from which %" PRIu64
            " others follow.\n", routine->ranks, emitter->job->topology->hosts,
            emitter->job->topology->hosts == 1 ? "" : "s", routine->phases, routine->phases == 1 ? "" : "s",
            routine->syncs, routine->removed);
    if (has_speeds(emitter->job->tree)) {
        fprintf(stream, " * The cluster has links of several speeds; %s.\n", as_if);
    }
}

/* ---- the tables ---- */

/* What C, or its trigraphs, could take for something else is written as a number. */
static void write_string(FILE *stream, const char *text)
{
    fputc('"', stream);
    for (; *text != '\0'; text++) {
        if (is_plain(*text)) {
            fputc(*text, stream);
        } else {
            fprintf(stream, "\\%03o", (unsigned)(unsigned char)*text);
        }
    }
    fputc('"', stream);
}

static void write_hosts(const emitter_t *emitter)
{
    const irr_tool_job_t *job = emitter->job;

    fputs("static const char *const hosts[RANKS] = {\n", emitter->stream);
    for (int r = 0; r < emitter->routine->ranks; r++) {
        fputs("    ", emitter->stream);
        write_string(emitter->stream, job->topology->names[job->host_of[r]]);
        fputs(",\n", emitter->stream);
    }
    fputs("};\n\n", emitter->stream);
}

/* Where the steps of each rank begin, and behind the last where they end. */
static void write_first(const emitter_t *emitter)
{
    const irr_tool_routine_t *routine = emitter->routine;
    size_t first = 0;

    fputs("static const int first_step[RANKS + 1] = {", emitter->stream);
    for (int r = 0; r <= routine->ranks; r++) {
        fprintf(emitter->stream, "%s%zu%s", r % 10 == 0 ? "\n    " : " ", first, r < routine->ranks ? "," : "");
        first += r < routine->ranks ? (size_t)routine->count[r] : 0;
    }
    fputs("\n};\n\n", emitter->stream);
}

static void write_peer(const emitter_t *emitter, int peer)
{
    if (peer == IRR_TOOL_NOBODY) {
        fputs(", NOBODY", emitter->stream);
    } else {
        fprintf(emitter->stream, ", %d", peer);
    }
}

static void write_steps(const emitter_t *emitter)
{
    const irr_tool_routine_t *routine = emitter->routine;

    fputs("/* Each in the order of the structure. */\nstatic const step_t steps[] = {\n", emitter->stream);
    for (int r = 0; r < routine->ranks; r++) {
        fprintf(emitter->stream, "    /* rank %d */\n", r);
        for (int k = 0; k < routine->count[r]; k++) {
            const irr_tool_step_t *step = &routine->steps[(size_t)r * routine->room + (size_t)k];

            fprintf(emitter->stream, "    { %d", step->phase);
            write_peer(emitter, step->to);
            write_peer(emitter, step->from);
            fprintf(emitter->stream, ", %zu, %d, %d },\n", step->sync, step->waits, step->tells);
        }
    }
    fputs("};\n\n", emitter->stream);
}

static void write_syncs(const emitter_t *emitter)
{
    const irr_tool_routine_t *routine = emitter->routine;

    fputs("static const sync_t syncs[] = {", emitter->stream);
    for (size_t i = 0; i < 2 * routine->syncs; i++) {
        fprintf(emitter->stream, "%s{ %d, %d },", i % 6 == 0 ? "\n    " : " ", routine->entries[i].peer,
                routine->entries[i].phase);
    }
    fputs("\n    { NOBODY, 1 }   /* no step has this one */\n};\n", emitter->stream);
}

static void write_tables(const emitter_t *emitter)
{
    const irr_tool_routine_t *routine = emitter->routine;

    fprintf(emitter->stream,
            "/* Most steps of a rank, waits of a step, and tells of all steps of a rank, or 1. */\n"
            "enum { RANKS = %d, STEPS_MAX = %d, WAITS_MAX = %d, TELLS_MAX = %d };\n\n", routine->ranks,
            routine->steps_max, routine->waits_max, routine->tells_max > 0 ? routine->tells_max : 1);
    write_hosts(emitter);
    write_first(emitter);
    write_steps(emitter);
    write_syncs(emitter);
}

/* ---- the file ---- */

irr_cli_exit_t irr_tool_emit(const irr_tool_job_t *job)
{
    const emitter_t emitter = { .stream = job->stream, .job = job, .routine = job->routine };

    if (has_speeds(job->tree)) {
        irr_cli_complain("%.256s has links of several speeds; %s", job->options->topology, as_if);
    }
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        if (strcmp(lines[i], "@SUMMARY@\n") == 0) {
            write_summary(&emitter);
        } else if (strcmp(lines[i], "@TABLES@\n") == 0) {
            write_tables(&emitter);
        } else {
            fputs(lines[i], job->stream);
        }
    }
    return IRR_CLI_GOOD;
}

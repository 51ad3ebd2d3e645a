/*
 * plan_emit.c - emit-c: writes a C file with an MPI_Alltoall for the ranks on their hosts.
 *
 *     Faraj, Yuan: Message scheduling for all-to-all personalized communication on Ethernet switched clusters,
 *     section 5: the automatic routine generator
 *
 * A phase is a set of messages of which no two share a link in one direction.  A rank has a step for each phase in
 * which it sends or receives.  If a message of a later phase shares a link with a message of an earlier phase, the
 * later message waits for a signal: an empty message from the receiver of the earlier message (order/tree/syncs.h).
 *
 * alltoall.c.in has the lines that are the same for all clusters; the build puts them into alltoall_lines.h.  The line
 * @SUMMARY@ stands for a part of the comment at the top, and the line @TABLES@ for the tables.  Needs O(P * P) time and
 * memory for P ranks, in addition to the time of phases.c and syncs.c.
 */
#include "plan.h"

#include "core/alloc.h"
#include "order/tree/phases.h"
#include "order/tree/syncs.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

/* ---- the steps of all ranks ---- */

#define NOBODY (-1)

/* The actions of a rank in a phase. */
typedef struct step {
    int    phase;           /* from 1 */
    int    to, from;        /* peers, or NOBODY */
    size_t entry;           /* its first entry: signals that its send waits for, and then signals that it sends */
    int    waits, signals;  /* numbers of both kinds of entries */
} step_t;

/* A signal at one of its ends: the rank at the other end, and the phase of the message that waits for the signal. */
typedef struct entry {
    int peer, phase;
} entry_t;

/* The steps of all ranks.  A zeroed structure is empty. */
typedef struct routine {
    irr_schedule_t schedule;             /* sorted by phase; the members `step` of its transmissions are phases */
    irr_syncs_t    syncs;                /* the signals */
    int           *count;                /* number of steps of each rank */
    step_t        *steps;                /* steps of rank r, by phase, from r * room on */
    size_t         room;
    step_t       **sends, **receives;    /* by transmission: the step of its sender, and that of its receiver */
    entry_t       *entries;              /* two for each signal: one at each end */
    int            steps_max, waits_max, signals_max;   /* most steps of a rank, waits of a step, signals of a rank */
} routine_t;

static void routine_fini(routine_t *routine)
{
    irr_free(routine->entries);
    irr_free(routine->receives);
    irr_free(routine->sends);
    irr_free(routine->steps);
    irr_free(routine->count);
    irr_syncs_fini(&routine->syncs);
    irr_schedule_fini(&routine->schedule);
}

static irr_status_t allocate(routine_t *routine)
{
    const size_t ranks = (size_t)routine->schedule.ranks, messages = routine->schedule.count;

    routine->room = 2 * (ranks - 1);
    routine->count = irr_alloc_zero(ranks, sizeof(*routine->count));
    routine->steps = irr_alloc(ranks * routine->room, sizeof(*routine->steps));
    routine->sends = irr_alloc(messages, sizeof(*routine->sends));
    routine->receives = irr_alloc(messages, sizeof(*routine->receives));
    routine->entries = irr_alloc(2 * routine->syncs.count, sizeof(*routine->entries));
    return routine->count != NULL && routine->steps != NULL && routine->sends != NULL && routine->receives != NULL &&
           routine->entries != NULL ? IRR_OK : IRR_ERR_NO_MEMORY;
}

/* Returns the step of a rank in a phase, and creates it if needed.  Calls must be in ascending order of phases. */
static step_t *step_of(routine_t *routine, int rank, int phase)
{
    step_t *steps = &routine->steps[(size_t)rank * routine->room];
    int *count = &routine->count[rank];

    if (*count == 0 || steps[*count - 1].phase != phase) {
        steps[(*count)++] = (step_t){ .phase = phase, .to = NOBODY, .from = NOBODY };
    }
    return &steps[*count - 1];
}

static void make_steps(routine_t *routine)
{
    for (size_t i = 0; i < routine->schedule.count; i++) {
        const irr_transmission_t *t = &routine->schedule.list[i];

        routine->sends[i] = step_of(routine, t->from, t->step);
        routine->sends[i]->to = t->to;
        routine->receives[i] = step_of(routine, t->to, t->step);
        routine->receives[i]->from = t->from;
    }
}

/* Reserves the entries of each step, rank by rank, and sets the maxima.  Resets the numbers of entries to 0. */
static void reserve_entries(routine_t *routine)
{
    const irr_syncs_t *syncs = &routine->syncs;
    size_t entry = 0;

    for (size_t i = 0; i < syncs->count; i++) {
        routine->sends[syncs->list[i].before]->waits++;
        routine->receives[syncs->list[i].after]->signals++;
    }
    for (int r = 0; r < routine->schedule.ranks; r++) {
        int signals = 0;

        for (int k = 0; k < routine->count[r]; k++) {
            step_t *step = &routine->steps[(size_t)r * routine->room + (size_t)k];

            step->entry = entry;
            entry += (size_t)(step->waits + step->signals);
            signals += step->signals;
            routine->waits_max = step->waits > routine->waits_max ? step->waits : routine->waits_max;
            step->waits = step->signals = 0;
        }
        routine->signals_max = signals > routine->signals_max ? signals : routine->signals_max;
        routine->steps_max = routine->count[r] > routine->steps_max ? routine->count[r] : routine->steps_max;
    }
}

/* Stores all waits before the first signal, because the signals of a step follow its waits. */
static void make_entries(routine_t *routine)
{
    const irr_syncs_t *syncs = &routine->syncs;

    reserve_entries(routine);
    for (size_t i = 0; i < syncs->count; i++) {
        step_t *step = routine->sends[syncs->list[i].before];

        routine->entries[step->entry + (size_t)step->waits++] = (entry_t){ syncs->list[i].from, step->phase };
    }
    for (size_t i = 0; i < syncs->count; i++) {
        step_t *step = routine->receives[syncs->list[i].after];

        routine->entries[step->entry + (size_t)(step->waits + step->signals++)] =
            (entry_t){ syncs->list[i].to, routine->sends[syncs->list[i].before]->phase };
    }
}

/*
 * Makes the steps for a tree of at least two ranks.  The caller frees *routine, even after an error.  Returns the
 * errors of irr_tree_all_to_all.  Checks that no two messages of a phase share a link, because signals do not separate
 * messages of a phase.
 */
static irr_status_t routine_make(const irr_tree_t *tree, routine_t *routine)
{
    irr_status_t status = irr_tree_all_to_all(tree, 1, &routine->schedule);

    if (status == IRR_OK) {
        status = irr_tree_check(tree, &routine->schedule, NULL);
    }
    if (status == IRR_OK) {
        status = irr_syncs_find(tree, &routine->schedule, NULL, &routine->syncs);
    }
    if (status == IRR_OK) {
        status = allocate(routine);
    }
    if (status == IRR_OK) {
        make_steps(routine);
        make_entries(routine);
    }
    return status;
}

/* ---- the file ---- */

#define NAME_MAX_SIGNS 64         /* characters of a name in the comment */
#define LARGE_BYTES    10000000   /* a longer file gets a warning; a file for 1024 ranks can have 100 MB */

static const char *const lines[] = {
#include "alltoall_lines.h"
};

static const char as_if[] = "the phases are made as if all links had the speed of a host's";

typedef struct emitter {
    FILE                     *stream;
    const irr_tool_job_t     *job;
    const routine_t          *routine;
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

/* Returns true if a used link has another speed than the hosts' links.  Phases are computed for the hosts' speed. */
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

static void write_summary(emitter_t *emitter)
{
    const routine_t *routine = emitter->routine;
    const char *path = emitter->job->options->topology, *slash = strrchr(path, '/');
    const int phases = routine->schedule.steps;

    put(emitter, " * MPI_Alltoall for one cluster, written by irr_plan emit-c from ");
    write_name(emitter, slash != NULL ? slash + 1 : path);
    put(emitter, ".\n *\n * %d ranks on %d host%s, %d phase%s, %zu synchronisations, from which %" PRIu64
        " others follow.\n", routine->schedule.ranks, emitter->job->input->topology.hosts,
        emitter->job->input->topology.hosts == 1 ? "" : "s", phases, phases == 1 ? "" : "s", routine->syncs.count,
        routine->syncs.removed);
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
    for (int r = 0; r < emitter->routine->schedule.ranks; r++) {
        put(emitter, "    ");
        write_string(emitter, job->input->topology.names[job->input->host_of[r]]);
        put(emitter, ",\n");
    }
    put(emitter, "};\n\n");
}

/* Writes the index of the first step of each rank, and the number of all steps. */
static void write_first(emitter_t *emitter)
{
    const routine_t *routine = emitter->routine;
    size_t first = 0;

    put(emitter, "static const int first_step[RANKS + 1] = {");
    for (int r = 0; r <= routine->schedule.ranks; r++) {
        put(emitter, "%s%zu%s", r % 10 == 0 ? "\n    " : " ", first, r < routine->schedule.ranks ? "," : "");
        first += r < routine->schedule.ranks ? (size_t)routine->count[r] : 0;
    }
    put(emitter, "\n};\n\n");
}

static void write_peer(emitter_t *emitter, int peer)
{
    put(emitter, peer == NOBODY ? ", NOBODY" : ", %d", peer);
}

static void write_steps(emitter_t *emitter)
{
    const routine_t *routine = emitter->routine;

    put(emitter, "/* Each in the order of the structure. */\nstatic const step_t steps[] = {\n");
    for (int r = 0; r < routine->schedule.ranks; r++) {
        put(emitter, "    /* rank %d */\n", r);
        for (int k = 0; k < routine->count[r]; k++) {
            const step_t *step = &routine->steps[(size_t)r * routine->room + (size_t)k];

            put(emitter, "    { %d", step->phase);
            write_peer(emitter, step->to);
            write_peer(emitter, step->from);
            put(emitter, ", %zu, %d, %d },\n", step->entry, step->waits, step->signals);
        }
    }
    put(emitter, "};\n\n");
}

static void write_syncs(emitter_t *emitter)
{
    const routine_t *routine = emitter->routine;

    put(emitter, "static const sync_t syncs[] = {");
    for (size_t i = 0; i < 2 * routine->syncs.count; i++) {
        put(emitter, "%s{ %d, %d },", i % 6 == 0 ? "\n    " : " ", routine->entries[i].peer, routine->entries[i].phase);
    }
    put(emitter, "\n    { NOBODY, 1 }   /* no step has this one */\n};\n");
}

static void write_tables(emitter_t *emitter)
{
    const routine_t *routine = emitter->routine;

    put(emitter,
        "/* Most steps of a rank, waits of a step, and signals of all steps of a rank, or 1. */\n"
        "enum { RANKS = %d, STEPS_MAX = %d, WAITS_MAX = %d, SIGNALS_MAX = %d };\n\n", routine->schedule.ranks,
        routine->steps_max, routine->waits_max, routine->signals_max > 0 ? routine->signals_max : 1);
    write_hosts(emitter);
    write_first(emitter);
    write_steps(emitter);
    write_syncs(emitter);
}

static void write_file(emitter_t *emitter)
{
    if (has_speeds(emitter->job->tree)) {
        irr_cli_complain("%s has links of several speeds; %s", emitter->job->options->topology, as_if);
    }
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        if (strcmp(lines[i], "@SUMMARY@\n") == 0) {
            write_summary(emitter);
        } else if (strcmp(lines[i], "@TABLES@\n") == 0) {
            write_tables(emitter);
        } else {
            put(emitter, "%s", lines[i]);
        }
    }
}

irr_cli_exit_t irr_tool_emit(const irr_tool_job_t *job)
{
    routine_t routine = { .room = 0 };
    emitter_t emitter = { .stream = job->stream, .job = job, .routine = &routine };
    irr_cli_exit_t code = irr_cli_status(routine_make(job->tree, &routine), "%s for %d ranks",
                                         job->options->topology, job->tree->ranks);

    if (code == IRR_CLI_GOOD) {
        write_file(&emitter);
    }
    if (emitter.bytes > LARGE_BYTES) {
        irr_cli_complain("%s: %.1f MB for %d phases and %zu synchronisations; compilers take long for so much",
                         job->options->output != NULL ? job->options->output : "stdout", (double)emitter.bytes / 1e6,
                         routine.schedule.steps, routine.syncs.count);
    }
    routine_fini(&routine);
    return code;
}

/*
 * plan_emit.c - emit-c: writes a C file with an MPI_Alltoall for the ranks on their hosts.
 *
 *     Faraj, Yuan: Message scheduling for all-to-all personalized communication on Ethernet switched clusters,
 *     section 5: the automatic routine generator
 *
 * alltoall.c.in has the part that is the same for all clusters; the build puts its lines into alltoall_lines.h.  Two of
 * these lines are placeholders for a part of the comment at the top and for the tables.
 *
 * A phase is a set of messages that do not share a link in one direction.  The schedule is sorted by phase.  A message
 * belongs to a step of its sender and to a step of its receiver.  A rank that sends and receives in one phase has one
 * step for both messages.  A synchronisation is an entry of the waiting step and an entry of the signalling step.
 * Needs O(P * P) time and memory for P ranks, in addition to the time of phases.c and syncs.c.
 */
#include "plan.h"

#include "core/alloc.h"
#include "order/tree/phases.h"
#include "order/tree/syncs.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

/* ---- the phases of all ranks ---- */

#define NOBODY (-1)

/* The actions of a rank in a phase. */
typedef struct step {
    int    phase;           /* from 1 */
    int    to, from;        /* peers, or NOBODY */
    size_t sync;            /* its first entry; signals that the send waits for precede the signals to send */
    int    waits, signals;  /* numbers of signals to wait for and of signals to send */
} step_t;

/* One end of a synchronisation: the rank at the other end, and the phase of the message that waits. */
typedef struct entry {
    int peer, phase;
} entry_t;

/* The phases of all ranks.  A zeroed structure is empty. */
typedef struct routine {
    int               ranks, phases;
    int              *count;      /* number of steps of each rank */
    step_t           *steps;      /* steps of rank r, by phase, from r * room on */
    size_t            room;
    entry_t          *entries;    /* 2 * syncs: each once at the waiting rank and once at the signalling rank */
    size_t            syncs;
    uint64_t          removed;    /* see irr_syncs_t */
    int               steps_max, waits_max, signals_max;   /* maxima: of a rank, of a step, of a rank */
} routine_t;

typedef struct maker {
    const irr_schedule_t *schedule;
    const irr_syncs_t    *syncs;
    routine_t            *routine;
    step_t              **sends;     /* by transmission: the step of its sender */
    step_t              **receives;  /* by transmission: the step of its receiver */
} maker_t;

static void routine_fini(routine_t *routine)
{
    irr_free(routine->entries);
    irr_free(routine->steps);
    irr_free(routine->count);
    memset(routine, 0, sizeof(*routine));
}

static irr_status_t routine_init(routine_t *routine, const irr_schedule_t *schedule,
                                 const irr_syncs_t *syncs)
{
    const size_t ranks = (size_t)schedule->ranks;

    routine->ranks = schedule->ranks;
    routine->phases = schedule->steps;
    routine->room = 2 * (ranks - 1);
    routine->syncs = syncs->count;
    routine->removed = syncs->removed;
    routine->count = irr_alloc_zero(ranks, sizeof(*routine->count));
    routine->steps = irr_alloc(ranks * routine->room, sizeof(*routine->steps));
    routine->entries = irr_alloc(2 * syncs->count, sizeof(*routine->entries));
    if (routine->count == NULL || routine->steps == NULL || routine->entries == NULL) {
        routine_fini(routine);
        return IRR_ERR_NO_MEMORY;
    }
    return IRR_OK;
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

static void make_steps(maker_t *maker)
{
    for (size_t i = 0; i < maker->schedule->count; i++) {
        const irr_transmission_t *t = &maker->schedule->list[i];

        maker->sends[i] = step_of(maker->routine, t->from, t->step);
        maker->sends[i]->to = t->to;
        maker->receives[i] = step_of(maker->routine, t->to, t->step);
        maker->receives[i]->from = t->from;
    }
}

/* Assigns a range of entries to each step, rank by rank. */
static void count_entries(maker_t *maker)
{
    routine_t *routine = maker->routine;
    const irr_syncs_t *syncs = maker->syncs;
    size_t entry = 0;

    for (size_t i = 0; i < syncs->count; i++) {
        maker->sends[syncs->list[i].before]->waits++;
        maker->receives[syncs->list[i].after]->signals++;
    }
    for (int r = 0; r < routine->ranks; r++) {
        int signals = 0;

        for (int k = 0; k < routine->count[r]; k++) {
            step_t *step = &routine->steps[(size_t)r * routine->room + (size_t)k];

            step->sync = entry;
            entry += (size_t)(step->waits + step->signals);
            signals += step->signals;
            routine->waits_max = step->waits > routine->waits_max ? step->waits : routine->waits_max;
            step->waits = step->signals = 0;
        }
        routine->signals_max = signals > routine->signals_max ? signals : routine->signals_max;
        routine->steps_max = routine->count[r] > routine->steps_max ? routine->count[r] : routine->steps_max;
    }
}

/* Fills the entries.  In a step the waits precede the signals, so all waits are stored before the first signal. */
static void make_entries(maker_t *maker)
{
    const irr_syncs_t *syncs = maker->syncs;
    entry_t *entries = maker->routine->entries;

    count_entries(maker);
    for (size_t i = 0; i < syncs->count; i++) {
        const irr_sync_t *sync = &syncs->list[i];
        step_t *step = maker->sends[sync->before];

        entries[step->sync + (size_t)step->waits++] = (entry_t){ sync->from, step->phase };
    }
    for (size_t i = 0; i < syncs->count; i++) {
        const irr_sync_t *sync = &syncs->list[i];
        step_t *step = maker->receives[sync->after];

        entries[step->sync + (size_t)(step->waits + step->signals++)] =
            (entry_t){ sync->to, maker->sends[sync->before]->phase };
    }
}

static irr_status_t make(const irr_schedule_t *schedule, const irr_syncs_t *syncs, routine_t *routine)
{
    maker_t maker = {
        .schedule = schedule, .syncs = syncs, .routine = routine,
        .sends = irr_alloc(schedule->count, sizeof(*maker.sends)),
        .receives = irr_alloc(schedule->count, sizeof(*maker.receives))
    };
    const bool good = maker.sends != NULL && maker.receives != NULL && routine_init(routine, schedule, syncs) == IRR_OK;

    if (good) {
        make_steps(&maker);
        make_entries(&maker);
    }
    irr_free(maker.receives);
    irr_free(maker.sends);
    return good ? IRR_OK : IRR_ERR_NO_MEMORY;
}

/*
 * Makes the phases of a tree of at least two ranks.  Errors are those of irr_tree_all_to_all.  Checks that steps have
 * no contention, because the syncs rely on this.
 */
static irr_status_t routine_make(const irr_tree_t *tree, routine_t *routine)
{
    irr_schedule_t schedule = { .ranks = 0 };
    irr_syncs_t syncs = { .count = 0 };
    irr_status_t status = irr_tree_all_to_all(tree, 1, &schedule);

    memset(routine, 0, sizeof(*routine));
    if (status == IRR_OK) {
        status = irr_tree_check(tree, &schedule, NULL);
    }
    if (status == IRR_OK) {
        status = irr_syncs_find(tree, &schedule, NULL, &syncs);
    }
    if (status == IRR_OK) {
        status = make(&schedule, &syncs, routine);
    }
    irr_syncs_fini(&syncs);
    irr_schedule_fini(&schedule);
    return status;
}

/* ---- the file ---- */

#define NAME_MAX_SIGNS 64   /* characters of a name in the comment */

/* If the file is longer than LARGE_BYTES, a warning says that compilers take long.  1024 ranks can make 100 MB. */
#define LARGE_BYTES 10000000

static const char *const lines[] = {
#include "alltoall_lines.h"
};

static const char as_if[] = "the phases are made as if all links had the speed of a host's";

typedef struct emitter {
    FILE                     *stream;
    const irr_tool_job_t     *job;
    const routine_t       *routine;
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

static const char *file_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

static void write_summary(emitter_t *emitter)
{
    const routine_t *routine = emitter->routine;

    put(emitter, " * MPI_Alltoall for one cluster, written by irr_plan emit-c from ");
    write_name(emitter, file_of(emitter->job->options->topology));
    put(emitter, ".\n *\n * %d ranks on %d host%s, %d phase%s, %zu synchronisations, from which %" PRIu64
        " others follow.\n", routine->ranks, emitter->job->input->topology.hosts,
        emitter->job->input->topology.hosts == 1 ? "" : "s", routine->phases, routine->phases == 1 ? "" : "s",
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
    for (int r = 0; r <= routine->ranks; r++) {
        put(emitter, "%s%zu%s", r % 10 == 0 ? "\n    " : " ", first, r < routine->ranks ? "," : "");
        first += r < routine->ranks ? (size_t)routine->count[r] : 0;
    }
    put(emitter, "\n};\n\n");
}

static void write_peer(emitter_t *emitter, int peer)
{
    if (peer == NOBODY) {
        put(emitter, ", NOBODY");
    } else {
        put(emitter, ", %d", peer);
    }
}

static void write_steps(emitter_t *emitter)
{
    const routine_t *routine = emitter->routine;

    put(emitter, "/* Each in the order of the structure. */\nstatic const step_t steps[] = {\n");
    for (int r = 0; r < routine->ranks; r++) {
        put(emitter, "    /* rank %d */\n", r);
        for (int k = 0; k < routine->count[r]; k++) {
            const step_t *step = &routine->steps[(size_t)r * routine->room + (size_t)k];

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
    const routine_t *routine = emitter->routine;

    put(emitter, "static const sync_t syncs[] = {");
    for (size_t i = 0; i < 2 * routine->syncs; i++) {
        put(emitter, "%s{ %d, %d },", i % 6 == 0 ? "\n    " : " ", routine->entries[i].peer,
            routine->entries[i].phase);
    }
    put(emitter, "\n    { NOBODY, 1 }   /* no step has this one */\n};\n");
}

static void write_tables(emitter_t *emitter)
{
    const routine_t *routine = emitter->routine;

    put(emitter,
        "/* Most steps of a rank, waits of a step, and signals of all steps of a rank, or 1. */\n"
        "enum { RANKS = %d, STEPS_MAX = %d, WAITS_MAX = %d, SIGNALS_MAX = %d };\n\n", routine->ranks,
        routine->steps_max, routine->waits_max, routine->signals_max > 0 ? routine->signals_max : 1);
    write_hosts(emitter);
    write_first(emitter);
    write_steps(emitter);
    write_syncs(emitter);
}

static void write_file(emitter_t *emitter)
{
    if (has_speeds(emitter->job->tree)) {
        irr_cli_complain("%.256s has links of several speeds; %s", emitter->job->options->topology, as_if);
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
    routine_t routine;
    emitter_t emitter = { .stream = job->stream, .job = job, .routine = &routine };
    irr_cli_exit_t code = irr_cli_status(routine_make(job->tree, &routine), "%.256s for %d ranks",
                                         job->options->topology, job->tree->ranks);

    if (code != IRR_CLI_GOOD) {
        return code;
    }
    write_file(&emitter);
    if (emitter.bytes > LARGE_BYTES) {
        irr_cli_complain("%.256s: %.1f MB for %d phases and %zu synchronisations; compilers take long for so much",
                         job->options->output != NULL ? job->options->output : "stdout", (double)emitter.bytes / 1e6,
                         routine.phases, routine.syncs);
    }
    routine_fini(&routine);
    return IRR_CLI_GOOD;
}

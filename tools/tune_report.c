/*
 * tune_report.c - computes the constants of a machine and their uncertainty from the times of irr_tune.
 *
 * Half of the time of a ping-pong is the processor time of one message plus the latency.  The time of a burst of n
 * messages is n times this processor time plus the latency.  If the processor time is nearly half of the ping-pong, the
 * difference of the two is mostly noise.  The latency is then set to a quarter of half of the ping-pong.
 */
#include "tune.h"

#include "cli_options.h"

#include <math.h>
#include <string.h>

#define LATENCY_FRACTION_MIN 0.25

/* Maximum spread (spread_of) of a measured constant.  If it is larger, the file gets the default instead. */
#define UNSURE_PERCENT 50

static double message_ns(double ping, double burst, int messages)
{
    const double ns = messages > 1 ? (burst - ping) / (messages - 1) : ping / 2;

    return ns > 1 ? ns : 1;
}

static double latency_ns(double ping, double message)
{
    return ping - message > LATENCY_FRACTION_MIN * ping ? ping - message : LATENCY_FRACTION_MIN * ping;
}

/* Computes the constants of a round.  A constant that was not measured is 0. */
static void derive(const irr_tune_groups_t *groups, const double ns[IRR_TUNE_STEPS],
                   double constants[IRR_TUNE_CONSTANTS])
{
    memset(constants, 0, IRR_TUNE_CONSTANTS * sizeof(*constants));
    constants[IRR_TUNE_AT(copy)] = IRR_TUNE_COPY_BYTES * 1e3 / ns[IRR_TUNE_COPY];
    constants[IRR_TUNE_AT(piece)] = ns[IRR_TUNE_PIECES] / IRR_TUNE_PIECES_COUNT;
    if (groups->inside.count > 0) {
        const double message = message_ns(ns[IRR_TUNE_PING_INSIDE], ns[IRR_TUNE_BURST_INSIDE],
                                          irr_tune_burst(&groups->inside, false));

        constants[IRR_TUNE_AT(node_message)] = message;
        constants[IRR_TUNE_AT(node_latency)] = latency_ns(ns[IRR_TUNE_PING_INSIDE], message);
    }
    if (groups->between.count > 0) {
        const double message = message_ns(ns[IRR_TUNE_PING_BETWEEN], ns[IRR_TUNE_BURST_BETWEEN],
                                          irr_tune_burst(&groups->between, true));
        const double one = IRR_TUNE_STREAM_BYTES * 8e3 / ns[IRR_TUNE_STREAM_ONE];
        const double all = IRR_TUNE_STREAM_BYTES * 8e3 * (groups->link.count / 2) / ns[IRR_TUNE_STREAM_ALL];

        constants[IRR_TUNE_AT(message)] = message;
        constants[IRR_TUNE_AT(latency)] = latency_ns(ns[IRR_TUNE_PING_BETWEEN], message);
        constants[IRR_TUNE_AT(bandwidth)] = one > all ? one : all;
    }
}

/* Writes how a constant was measured, for the comment behind it. */
static void origin(const irr_tune_groups_t *groups, size_t constant, char *text, size_t size)
{
    const bool between = constant == IRR_TUNE_AT(message);
    const irr_tune_group_t *group = between ? &groups->between : &groups->inside;

    switch (constant) {
    case IRR_TUNE_AT(message):
    case IRR_TUNE_AT(node_message):
        snprintf(text, size, "bursts of %d messages, by %d ranks at once to %d others each%s",
                 irr_tune_burst(group, between), group->count, group->partners,
                 between && group->partners < 3 ? ": too low if some travel together" : "");
        break;
    case IRR_TUNE_AT(bandwidth):
        snprintf(text, size, "messages of 1 MiB from node to node, by 1 and %d pairs of ranks", groups->link.count / 2);
        break;
    case IRR_TUNE_AT(copy):
        snprintf(text, size, "copies of 64 KiB, by %d ranks at once", group->count > 0 ? group->count : 1);
        break;
    case IRR_TUNE_AT(piece):
        snprintf(text, size, "pieces of 8 to 24 bytes gathered");
        break;
    default:
        snprintf(text, size, "half of a ping-pong of 8 bytes, less the cost of a message; a quarter of it at least");
        break;
    }
}

/* Returns the reason why the file has the default of a constant. */
static const char *why_default(const irr_tune_groups_t *groups, size_t constant)
{
    switch (constant) {
    case IRR_TUNE_AT(switch_nodes):
    case IRR_TUNE_AT(taper):
    case IRR_TUNE_AT(buffer):
    case IRR_TUNE_AT(timeout):
        return "because irr_tune does not measure it";
    case IRR_TUNE_AT(message):
    case IRR_TUNE_AT(latency):
    case IRR_TUNE_AT(bandwidth):
        return groups->nodes == 1 ? "as all ranks are on one node" : "because it could not be measured";
    default:
        return "as no node has two ranks";
    }
}

/* Returns the spread of the middle 80 % of the sorted rounds, in percent of their median. */
static double spread_of(const double *samples, int rounds)
{
    const int tenth = rounds / 10;

    return 100 * (samples[rounds - 1 - tenth] - samples[tenth]) / samples[rounds / 2];
}

/* Writes a line of the file.  Returns false if the constant is too uncertain to be written. */
static bool print_row(FILE *stream, const irr_tune_groups_t *groups, size_t constant, double *samples, int rounds)
{
    const irr_machine_t standard = IRR_MACHINE_DEFAULT;
    const char *name = irr_machine_name((int)constant);
    uint64_t presets[IRR_TUNE_CONSTANTS];
    char text[160];
    double median, spread;

    memcpy(presets, &standard, sizeof(presets));
    irr_cli_sort(samples, rounds);
    if (samples[rounds - 1] <= 0) {
        fprintf(stream, "%-12s %10llu  # the default, %s\n", name, (unsigned long long)presets[constant],
                why_default(groups, constant));
        return true;
    }
    origin(groups, constant, text, sizeof(text));
    median = samples[rounds / 2];
    spread = median > 0 ? round(spread_of(samples, rounds)) : INFINITY;   /* rounded as it is printed */
    if (spread <= UNSURE_PERCENT) {
        fprintf(stream, "%-12s %10.0f  # %10.0f %10.0f %6.0f%%  %s\n", name,
                median < 1 && constant != IRR_TUNE_AT(piece) ? 1 : median, samples[0], samples[rounds - 1], spread,
                text);
        return true;
    }
    fprintf(stream, "%-12s %10llu  # the default; measured %.0f, not trusted: %.0f to %.0f, spread %.0f%%\n", name,
            (unsigned long long)presets[constant], median, samples[0], samples[rounds - 1], spread);
    return false;
}

void irr_tune_report(FILE *stream, const irr_tune_groups_t *groups, const irr_tune_times_t *times)
{
    double constants[IRR_TUNE_CONSTANTS], samples[IRR_TUNE_ROUNDS_MAX];
    int unsure = 0;

    fprintf(stream, "# irr_tune %s: %d ranks on %d node%s, %d rounds in %.1f s\n"
            "# irr_tune --help says what each constant is\n# constant   median           least       most  spread\n",
            irr_cli_version(), groups->ranks, groups->nodes, groups->nodes > 1 ? "s" : "", times->rounds,
            times->seconds);
    for (size_t i = 0; i < IRR_TUNE_CONSTANTS; i++) {
        for (int round = 0; round < times->rounds; round++) {
            derive(groups, times->ns[round], constants);
            samples[round] = constants[i];
        }
        unsure += !print_row(stream, groups, i, samples, times->rounds);
    }
    if (unsure > 0) {
        fprintf(stream, "# a spread above %d%% is not trusted: measure again when the machine is quiet\n",
                UNSURE_PERCENT);
    }
}

/*
 * plan_help.c - the texts that irr_plan --help all prints after the options.
 */
#include "plan.h"

#include "plan/strategy.h"

/* A figure of the command check.  A row without a name is the condition under which the following figures appear. */
typedef struct figure {
    const char *name, *text;
} figure_t;

static const figure_t figures[] = {
    { NULL,
      "Figures of check. A figure whose name ends in max is the maximum over all ranks. Only lmax includes the bytes "
      "that a rank sends to itself." },
    { "pacing", "when a message may start" },
    { "lead_bytes", "pacing sync: a receiver signals the next sender when this number of bytes has yet to arrive" },
    { "piece_bytes", "length of the pieces in which scheduled algorithms send longer messages; 0: no limit" },
    { "window_messages", "largest number of messages that a rank has in flight; 0: no limit" },
    { "window_bytes", "largest number of bytes that a rank has in flight; 0: no limit" },
    { "ranks", "number of ranks" },
    { "stages", "number of stages of the longest plan" },
    { "steps", "sum over the stages of the number of steps up to the last one in which a message is sent" },
    { "messages_sent_max", "number of messages that a rank sends" },
    { "messages_received_max", "number of messages that a rank receives" },
    { "message_bytes_max", "length of a message" },
    { "scratch_bytes_max", "bytes of scratch memory of a rank; with --in-place at most 1 MiB" },
    { "traffic_bytes_max", "bytes that a rank sends: its own bytes and those that it forwards, without headers" },
    { "lmax",
      "largest number of bytes that a rank has to send, or that it has to receive, including bytes for itself" },
    { "header_bytes",
      "bytes of all headers in an exchange with new counts, over all ranks; only spread, grid, balanced-grid, hybrid, "
      "bruck and node have headers" },
    { "contention", "number of cases in which several ranks send to one rank in the same step of a stage" },
    { "lemma1",
      "bound on the number of messages that a rank receives in a stage (Liu, Wang, Prasanna): ok, or the number of "
      "messages beyond the bound" },
    { "lemma3", "bound on the length of a message: ok, or the number of bytes beyond the bound" },
    { "theorem1", "bound on the scratch memory of a rank: ok, or the number of bytes beyond the bound" },
    { "delivered", "ok: the proof succeeded, and every byte arrived when the plans ran; otherwise the error" },
    { NULL,
      "If there is a schedule (algorithms xor to tree in the list below, or --load), check also prints the following "
      "figures. makespan_bytes and async_bytes are times; their unit is the time in which a rank sends one byte." },
    { "permutations", "number of steps of the schedule" },
    { "makespan_bytes",
      "time of the schedule if each step begins when the previous step has ended on all ranks: the length of the "
      "longest message of each step, summed over the steps" },
    { "async_bytes",
      "time of the schedule if each message begins when its sender and its receiver have completed their earlier "
      "messages" },
    { "lower_bound_bytes", "bytes that the busiest rank sends or receives; no schedule takes less time" },
    { "schedule_ms", "time in which the schedule was computed, or read from a file" },
    { "splits", "number of additional messages because long messages are split" },
    { NULL,
      "With --topology, check also prints figures of the links between hosts and switches. The two directions of a "
      "link count as two links." },
    { "link_contention",
      "number of cases in which a step of a stage sends more messages over a link than the link carries at a time; "
      "this is the speed of the link divided by the speed of the slowest host, rounded down, and at least 1" },
    { "load", "bytes on the busiest link, divided by the speed of this link relative to that of the slowest host" },
    { "load_link", "the busiest link, as FROM->TO; none: all links are idle" },
    { NULL,
      "With --topology and a schedule, check also prints the following figures. Each rank then has a link of its own, "
      "as fast as the link of the slowest host. With --host-route node the schedule has the messages between hosts." },
    { "link_bound_bytes", "load of the busiest link, as above; no contention-free schedule takes less time" },
    { "link_ratio", "makespan_bytes divided by link_bound_bytes; not printed if link_bound_bytes is 0" },
    { "syncs",
      "number of signals that keep messages of different steps from sharing a link; unknown if a step of the schedule "
      "sends more messages over a link than the link carries at a time" },
    { "syncs_removed",
      "number of signals that pacing sync leaves out, because other signals already delay the message long enough" },
    { "phases",
      "tree: number of steps of the schedule; with equal counts it is the number of messages over the busiest link, if "
      "this link carries one message at a time" },
    { "root", "tree: the switch or host at which the subtrees meet; no subtree has more than half of the ranks" },
    { NULL,
      "lemma1 is a bound for grid, balanced-grid and the grid of hybrid; lemma3 and theorem1 are bounds for "
      "balanced-grid. For all other algorithms, and with --dims, there is no bound, and check prints ok. Because "
      "slices may differ in length (--slice-min), check adds this difference to the bounds of lemma3 and theorem1." },
};

static void print_figures(void)
{
    for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
        if (figures[i].name == NULL) {
            irr_cli_paragraph(figures[i].text);
        } else {
            irr_cli_entry(figures[i].name, figures[i].text);
        }
    }
}

void irr_tool_help(void)
{
    irr_cli_paragraph("All commands have --ranks, --topology, --hosts and --output.  The other options belong to:");
    irr_tool_help_options();
    print_figures();
    irr_cli_list("Algorithms", irr_algorithm_name, irr_algorithm_text);
    irr_cli_list("Patterns", irr_pattern_name, irr_pattern_text);
    irr_cli_list("Constants of a machine (a machine file has lines NAME VALUE)", irr_machine_name, irr_machine_text);
    irr_cli_paragraph(
        "Without --machine, all constants have the values of InfiniBand with 100 Gbit/s.  So have the constants that a "
        "machine file lacks.");
    irr_cli_paragraph(
        IRR_CLI_STATUSES("the plans do not deliver all bytes, exceed a bound, or have contention although the "
                         "algorithm promises none, or failure") " "
        "All algorithms except natural promise that contention is 0. "
        "Grids with --dims promise it only if the last row has at most as many ranks as there are rows above it. With "
        "--topology, tree also promises that link_contention is 0.");
}

/*
 * plan_help.c - the texts that irr_plan --help all prints behind the options.
 */
#include "plan.h"

#include "plan/strategy.h"

/* A figure of the command check.  A row without a name is the condition under which the following figures appear. */
typedef struct figure {
    const char *name, *text;
} figure_t;

static const figure_t figures[] = {
    { NULL,
      "Figures of check, over all ranks (max) and without what stays on a rank, unless they say otherwise:" },
    { "pacing", "when a message may start" },
    { "lead_bytes", "pacing sync: bytes before the end of what a rank receives at which it signals" },
    { "piece_bytes", "of a schedule: longest message; 0: no limit" },
    { "window_messages", "messages that a rank has in flight at most; 0: no limit" },
    { "window_bytes", "bytes that a rank has in flight at most; 0: no limit" },
    { "ranks", "number of ranks" },
    { "stages", "stages of the longest plan" },
    { "steps", "the last step in which a message is sent, summed over the stages" },
    { "messages_sent_max", "messages that one rank sends" },
    { "messages_received_max", "messages that one rank receives" },
    { "message_bytes_max", "bytes of one message" },
    { "scratch_bytes_max",
      "bytes of scratch on one rank; with --in-place 1 MiB at most" },
    { "traffic_bytes_max", "bytes that one rank sends, its own and forwarded ones, nothing else" },
    { "lmax", "bytes that one rank has to send or to receive, those for itself included" },
    { "header_bytes", "bytes of all ranks that describe messages of a grid or between nodes in a first run" },
    { "contention", "cases of a rank, stage and step in which more than one other rank sends to it" },
    { "lemma1", "messages received in a stage (Liu, Wang, Prasanna): ok, or by how much missed" },
    { "lemma3", "length of a message: the same, with the bytes that whole slices may add" },
    { "theorem1", "scratch: the same" },
    { "delivered", "ok: proved, and every byte arrived in a run; or what is wrong" },
    { NULL,
      "and of the scheduled orders, xor to tree, as if a step began when the one before has ended on all ranks:" },
    { "permutations", "steps of the schedule" },
    { "makespan_bytes", "the longest message of each step, summed over the steps" },
    { "async_bytes", "the same if a message begins when its two ranks have done with those before it" },
    { "lower_bound_bytes", "bytes that the busiest rank sends or receives; no schedule is shorter" },
    { "schedule_ms", "time that computing the schedule, or reading it, took" },
    { "splits", "messages sent beyond one for each pair of ranks" },
    { NULL,
      "and with --topology, of what goes over the links between hosts and switches, each direction by itself:" },
    { "link_contention",
      "cases of a stage, step and directed link with more messages than it carries at a time: its speed by that of "
      "the slowest host, rounded down, and at least one" },
    { "load",
      "bytes on the busiest directed link, by its speed: what a link of the slowest host would carry in that time" },
    { "load_link", "that link, FROM->TO, or none" },
    { NULL,
      "and of a schedule on them, where ranks count as links, too, as fast as the slowest host: (with --host-route "
      "node this schedule is that of the messages between hosts)" },
    { "link_bound_bytes", "load of the busiest rank or directed link; no contention-free schedule is shorter" },
    { "link_ratio", "makespan_bytes by link_bound_bytes; left out where that is 0" },
    { "syncs",
      "messages of pair-wise synchronisation that keep those of different steps off each other's links; unknown if "
      "messages of one step contend there (link_contention)" },
    { "syncs_removed", "others that need not be sent: they follow from those and from the ranks' own order" },
    { "phases",
      "tree: steps of the schedule; with equal counts, messages over the busiest link, if it carries one at a time" },
    { "root", "tree: the switch or host where the subtrees meet, none with over half of the ranks" },
    { NULL,
      "The paper has lemma1 for grid and balanced-grid, and the others for balanced-grid, without --dims; other rows "
      "have nothing to miss there and print ok. With --slice-min above 1 the bounds have room for slices that long." },
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
    print_figures();
    irr_cli_list("Algorithms", irr_algorithm_name, irr_algorithm_text);
    irr_cli_list("Patterns", irr_pattern_name, irr_pattern_text);
    irr_cli_list("Constants of a machine, lines NAME VALUE of a file", irr_machine_name, irr_machine_text);
    printf("What is not in the file is as on 100 Gbit/s InfiniBand, and so is all without --machine.\n");
    printf("\nExit status: 0 good, 1 the plans do not deliver or miss a bound, or there is contention\n"
           "where the row has none (all but natural, and dims of your own with a longer last row than rows\n"
           "above it; of tree with --topology, on a link), 2 the input was refused.\n");
}

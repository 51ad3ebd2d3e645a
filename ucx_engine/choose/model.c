/*
 * model.c - predicts the time of an exchange by a strategy; see model.h.
 *
 * A strategy is a sequence of stages.  In a stage each rank sends to the other members of its group, which are `stride`
 * ranks apart; with direct messages all ranks are one group.  A member may be on the rank's node, on another node at
 * the same switch, or at another switch.  The time of a stage is the larger of two times: the time of the processor for
 * the messages of the rank, and the time of the link for the bytes of all ranks of the node.  A message is sent only
 * when it is complete, so the times of gathering and scattering and one latency are added.
 *
 * The model knows two maxima: the most bytes that a rank sends, and the most that a rank receives.  The mean over all
 * ranks is at most the smaller maximum, which is the load `even` of every rank in the code.  The difference of the
 * maxima, called `beside`, is the additional load of one rank.  On a route of several stages, this load is on many
 * ranks at first, and on fewer ranks in each later stage.
 *
 * In a stage of a grid with n columns, a block moves unless it is already in its column, so (n - 1) / n of all bytes
 * move.  If a rank has few blocks, some columns get no message.  If a rank has blocks for d of P ranks, a column gets
 * no message with probability (1 - d/P)^(P/n).
 *
 * If ports of switches can queue only few bytes (`buffer`), and no pacing delays messages, some bytes are lost and sent
 * again.  A loss at the end of a message may cost a timeout.
 *
 * With leaders (algorithm node) a rank sends to each rank of its node, then to each node for which it leads, and then
 * again to each rank of its node.  It leads for (nodes - 1) / (ranks of a node) nodes.
 */
#include "choose/model.h"

#include <math.h>

/* The other members of a rank's group. */
typedef struct group {
    double inside;    /* members on the same node */
    double between;   /* members on other nodes */
    double beyond;    /* members on nodes at other switches, also counted in `between` */
} group_t;

/* A number of messages, blocks or bytes that a rank has in a stage. */
typedef struct load {
    double even;      /* load of every rank */
    double beside;    /* additional load of some ranks */
} load_t;

/* The work of a rank in a stage. */
typedef struct stage {
    group_t group;
    double  share;    /* fraction of the group that gets a message */
    load_t  blocks;   /* blocks of all these messages together */
    load_t  bytes;
    double  meet;     /* number of ranks of a node that have the additional load */
} stage_t;

/* Returns the mean length of the messages of the rank with the most bytes, divided by the longest message. */
static double alike_of(const irr_traffic_t *traffic)
{
    return traffic->longest > 0 ? traffic->bytes / fmax(1, traffic->messages) / traffic->longest : 1;
}

/* ---- the machine ---- */

static double wire_ns(const irr_machine_t *machine, double bytes)
{
    return bytes * 8e3 / (double)machine->bandwidth;
}

static double copy_ns(const irr_machine_t *machine, double bytes)
{
    return bytes * 1e3 / (double)machine->copy;
}

/* Returns how many members are within a range of `ranks` ranks, if members are `stride` ranks apart. */
static double within(double ranks, double stride, double members)
{
    return fmin(members, fmax(1, ranks / stride));
}

static group_t group_of(const irr_machine_t *machine, const irr_traffic_t *traffic, double stride, double members)
{
    const double node = within(traffic->node_ranks, stride, members);
    const double ranks = (double)machine->switch_nodes * traffic->node_ranks;
    const double local = machine->switch_nodes > 0 ? within(ranks, stride, members) : members;

    return (group_t){ .inside = node - 1, .between = members - node, .beyond = members - local };
}

/*
 * Returns the time of a node's link.  The link carries either the bytes of all ranks of the node, or the bytes of the
 * one rank that has additional bytes, whichever is more.  The additional bytes of one node do not fill the links above
 * its switch.
 */
static double link_ns(const irr_machine_t *machine, const irr_traffic_t *traffic, const group_t *group, double bytes,
                      double beside)
{
    const double members = group->inside + group->between;
    const double even = bytes * traffic->node_ranks, node = fmax(even, bytes + beside) * group->between;
    const double above = even * group->beyond * (double)machine->taper;

    return members > 0 ? wire_ns(machine, fmax(node, above) / members) : 0;
}

/* Returns the time of a node's link with direct messages. */
static double links_ns(const irr_machine_t *machine, const irr_traffic_t *traffic, const group_t *group)
{
    return link_ns(machine, traffic, group, traffic->lesser_bytes, traffic->bytes - traffic->lesser_bytes);
}

/* ---- stages ---- */

static double messages_ns(const irr_machine_t *machine, const group_t *group, double share)
{
    return share * (group->between * (double)machine->message + group->inside * (double)machine->node_message);
}

static double latency_ns(const irr_machine_t *machine, const group_t *group)
{
    return (double)(group->between > 0 ? machine->latency : group->inside > 0 ? machine->node_latency : 0);
}

static double inside_bytes(const group_t *group, double bytes)
{
    const double members = group->inside + group->between;

    return members > 0 ? bytes * group->inside / members : 0;
}

/*
 * Returns the time of a stage whose messages are gathered from several blocks.  The stage begins when the previous
 * stage has ended.  All ranks that send to the rank with the additional load gather this load, and the one rank
 * scatters it.
 */
static double stage_ns(const irr_machine_t *machine, const irr_traffic_t *traffic, const stage_t *stage)
{
    const group_t *group = &stage->group;
    const load_t *blocks = &stage->blocks, *bytes = &stage->bytes;
    const double senders = fmax(1, stage->share * (group->inside + group->between)), beside = 1 + 1 / senders;

    return fmax(messages_ns(machine, group, stage->share),
                link_ns(machine, traffic, group, bytes->even, bytes->beside * stage->meet)) +
           copy_ns(machine, 2 * bytes->even + beside * bytes->beside) +
           (2 * blocks->even + beside * blocks->beside) * (double)machine->piece + latency_ns(machine, group);
}

/*
 * Returns the fraction of the members of a group, including the rank itself, that get a message from a rank.  The rank
 * has `blocks` blocks, each for another rank.  Each member receives the blocks for the same number of ranks.
 */
static double reached(const irr_traffic_t *traffic, double members, double blocks)
{
    return 1 - pow(1 - fmin(1, blocks / traffic->ranks), traffic->ranks / members);
}

/*
 * Returns the mean of `reached` for ranks without the additional blocks and with them; 1 if a rank sends to all
 * members.
 */
static double share_of(const irr_traffic_t *traffic, double members, load_t blocks)
{
    const double even = reached(traffic, members, blocks.even);

    return traffic->plain ? 1 : (even + reached(traffic, members, blocks.even + blocks.beside)) / 2;
}

static load_t blocks_of(const irr_traffic_t *traffic)
{
    return (load_t){ traffic->lesser_messages, traffic->messages - traffic->lesser_messages };
}

static load_t bytes_of(const irr_traffic_t *traffic)
{
    return (load_t){ traffic->lesser_bytes, traffic->bytes - traffic->lesser_bytes };
}

/* Returns a load multiplied by `moves`; the additional load is also multiplied by `beside`. */
static load_t scaled(load_t load, double moves, double beside)
{
    return (load_t){ load.even * moves, load.beside * moves * beside };
}

static group_t everybody(const irr_machine_t *machine, const irr_traffic_t *traffic)
{
    return group_of(machine, traffic, 1, traffic->ranks);
}

/* ---- losses in switches ---- */

#define SEGMENT_BYTES 1446
#define TAIL_SEGMENTS 3      /* number of last segments of a message whose loss no later segment reveals */

/*
 * Fraction of the losses at the end of messages that TCP repairs only after a timeout.  The value fits two measurements
 * on emulated Ethernet (contrib/lab).  For equal messages of 256 KiB it is ten times too low.
 */
#define TIMEOUTS 0.06

/*
 * Fraction of the bytes above the length of a queue that are sent again.  The value fits a simulation of direct on four
 * switches of four hosts, not the measurements.
 */
#define SENT_AGAIN 0.5

/*
 * Returns the fraction of the bytes that arrive at a port of a switch at the same time and that the port cannot queue.
 */
static double excess_of(const irr_machine_t *machine, double port_bytes)
{
    return machine->buffer > 0 && port_bytes > (double)machine->buffer ? 1 - (double)machine->buffer / port_bytes : 0;
}

/*
 * Returns the number of bytes that the nodes of a switch send to other switches if no pacing delays messages; 0 if the
 * links of the switch carry all of these bytes without a queue.
 */
static double bytes_above(const irr_machine_t *machine, const irr_traffic_t *traffic)
{
    const double nodes = ceil(traffic->ranks / traffic->node_ranks);
    const bool above = machine->taper > 1 && machine->switch_nodes > 0 && nodes > (double)machine->switch_nodes;

    return above ? (double)machine->switch_nodes * traffic->node_ranks * traffic->lesser_bytes : 0;
}

/* Returns the time including bytes that are sent again, and a timeout if at least one message is likely to need it. */
static double lossy_ns(const irr_machine_t *machine, const irr_traffic_t *traffic, double ns, double port_bytes)
{
    const double excess = excess_of(machine, port_bytes), messages = fmax(1, traffic->messages);
    const double tail = fmin(1, TAIL_SEGMENTS * SEGMENT_BYTES * messages / fmax(1, traffic->bytes));
    const double timeouts = traffic->ranks * messages * excess * tail * TIMEOUTS;
    const double sent = ns * (1 + SENT_AGAIN * excess);

    return timeouts > log(2) ? fmax(sent, (double)(machine->timeout + machine->latency)) : sent;
}

/*
 * Returns the additional time of Open MPI's order.  All ranks send to rank 0 first, then to rank 1, and so on, so the
 * link of the last rank is idle until all others have their messages.  The effect is smaller with messages of different
 * length.
 */
static double convoy_ns(const irr_machine_t *machine, const irr_traffic_t *traffic)
{
    const double messages = fmax(1, traffic->messages), alike = alike_of(traffic);

    if (machine->buffer == 0 || traffic->ranks <= traffic->node_ranks) {
        return 0;
    }
    return wire_ns(machine, traffic->lesser_bytes * traffic->node_ranks) * alike * alike * (messages - 1) / messages;
}

/* ---- direct ---- */

/* Returns the additional time of a pacing: the time of its signals, and the time in which steps wait. */
static double pacing_ns(const irr_machine_t *machine, const group_t *group, const irr_strategy_t *strategy,
                        double share)
{
    const double work = messages_ns(machine, group, share);
    const double waits = share * (group->between * (double)machine->latency +
                                  group->inside * (double)machine->node_latency);

    if (strategy->pacing == &irr_pacing_free) {
        return 0;
    }
    if (strategy->pacing == &irr_pacing_grant) {
        return work + 2 * waits / (double)(strategy->grants > 0 ? strategy->grants : IRR_GRANTS_DEFAULT);
    }
    return strategy->pacing->syncs ? work + waits : waits;
}

/*
 * Returns the number of messages of a rank, as the mean of the messages that it sends and those that it receives,
 * because the rank that receives most may send few messages.
 */
static double messages_of(const irr_traffic_t *traffic)
{
    return (traffic->messages + traffic->lesser_messages) / 2;
}

static double direct_ns(const irr_machine_t *machine, const irr_traffic_t *traffic, double messages)
{
    const group_t group = everybody(machine, traffic);
    const double others = traffic->ranks - 1, share = others > 0 ? messages / others : 0;
    const double inside = inside_bytes(&group, traffic->bytes + traffic->lesser_bytes);

    return fmax(messages_ns(machine, &group, share) + copy_ns(machine, inside), links_ns(machine, traffic, &group));
}

/*
 * Returns the additional time of steps with unequal messages.  With pacing loose a step of a rank lasts as long as the
 * longer of the messages that it sends and receives.  The model assumes that a fraction `alike` of the messages is as
 * long as the longest message, and that the others are empty.  The longer of two messages is then on average 2 - alike
 * times the mean.  Schedules are excluded, because in some of them all messages of a step have one length.
 */
static double tied_ns(const irr_machine_t *machine, const irr_traffic_t *traffic, const irr_strategy_t *strategy)
{
    const group_t group = everybody(machine, traffic);
    const bool tied = strategy->pacing == &irr_pacing_loose && !irr_strategy_is_scheduled(strategy);

    return tied ? links_ns(machine, traffic, &group) * (1 - alike_of(traffic)) : 0;
}

static double paced_ns(const irr_machine_t *machine, const irr_traffic_t *traffic, const irr_strategy_t *strategy)
{
    const group_t group = everybody(machine, traffic);
    const double messages = messages_of(traffic);

    return direct_ns(machine, traffic, messages) + tied_ns(machine, traffic, strategy) +
           pacing_ns(machine, &group, strategy, messages / fmax(1, traffic->ranks - 1)) + latency_ns(machine, &group);
}

double irr_model_host_ns(const irr_machine_t *machine, const irr_traffic_t *traffic)
{
    const group_t group = everybody(machine, traffic);
    const double ns = direct_ns(machine, traffic, traffic->sparse ? messages_of(traffic) : traffic->ranks - 1) +
                      latency_ns(machine, &group);
    const double port_bytes = group.between > 0 ? traffic->lesser_bytes * traffic->node_ranks : 0;

    return fmax(ns + convoy_ns(machine, traffic),
                lossy_ns(machine, traffic, ns, fmax(port_bytes, bytes_above(machine, traffic))));
}

/* ---- long messages ---- */

/*
 * Returns the number of messages that are longer than a limit.  The model assumes that they are as long as the longest
 * message, and that each other message is half as long as the limit, or as the mean if the mean is smaller.
 */
static double longer(const irr_traffic_t *traffic, double limit)
{
    const double mean = traffic->messages > 0 ? traffic->bytes / traffic->messages : 0;
    const double others = fmin(limit, mean) / 2;

    if (traffic->longest <= limit || traffic->longest <= others) {
        return 0;
    }
    return fmin(traffic->messages, (traffic->bytes - traffic->messages * others) / (traffic->longest - others));
}

/* ---- grids ---- */

/*
 * Returns the time of a stage of a grid.  From stage to stage, the additional bytes for one rank are on fewer ranks.
 * After this stage one of `reach` ranks has them.
 */
static double level_ns(const irr_machine_t *machine, const irr_traffic_t *traffic, double stride, double columns)
{
    const double moves = columns > 1 ? (columns - 1) / columns : 0, reach = fmin(stride * columns, traffic->ranks);
    const double met = reach / traffic->ranks;
    const load_t blocks = scaled(blocks_of(traffic), 1, met);
    const stage_t stage = {
        .group = group_of(machine, traffic, stride, columns), .share = share_of(traffic, columns, blocks),
        .blocks = scaled(blocks, moves, 1), .bytes = scaled(bytes_of(traffic), moves, met),
        .meet = fmax(1, traffic->node_ranks / reach)
    };

    return stage_ns(machine, traffic, &stage);
}

/*
 * Returns the time of a grid.  A balanced grid first spreads the messages, in as many additional stages.  The model
 * counts no time for cutting the messages.
 */
static double grid_ns(const irr_machine_t *machine, const irr_traffic_t *traffic, const irr_strategy_t *strategy)
{
    irr_grid_t grid;
    double sum = 0;

    if (irr_strategy_grid(strategy, traffic->ranks, NULL, &grid) != IRR_OK) {
        return INFINITY;
    }
    for (int i = 0; i < grid.levels; i++) {
        const irr_grid_level_t level = irr_grid_level(&grid, traffic->ranks, i, 0);

        sum += level_ns(machine, traffic, level.stride, level.rows.columns);
    }
    return grid.balanced ? 2 * sum : sum;
}

/* ---- leaders ---- */

/*
 * Returns the time of messages inside a node: each rank sends one to each other rank.  blocks, bytes: load of a rank in
 * all these messages.
 */
static double inside_ns(const irr_machine_t *machine, const irr_traffic_t *traffic, load_t blocks, load_t bytes)
{
    const stage_t stage = {
        .group = { .inside = traffic->node_ranks - 1 }, .share = share_of(traffic, traffic->node_ranks, blocks),
        .blocks = blocks, .bytes = bytes, .meet = 1
    };

    return traffic->node_ranks > 1 ? stage_ns(machine, traffic, &stage) : 0;
}

/*
 * Returns the time by leaders, in the three stages of route/stages.c.  In the second stage a leader sends the blocks of
 * all ranks of its node for another node.  The additional bytes for one rank are on one rank of each node after the
 * first stage, on all leaders of the rank's node after the second stage, and on the rank itself after the third stage.
 */
static double leaders_ns(const irr_machine_t *machine, const irr_traffic_t *traffic)
{
    const double node = traffic->node_ranks, nodes = ceil(traffic->ranks / node);
    const double leaders = fmax(1, fmin(node, nodes - 1)), served = ceil((nodes - 1) / node);
    const double away = (traffic->ranks - fmin(node, traffic->ranks)) / fmax(1, traffic->ranks - 1);
    const double per_leader = nodes > 1 ? served * node / (nodes - 1) : 0;
    const load_t blocks = blocks_of(traffic), bytes = bytes_of(traffic);
    const group_t all = everybody(machine, traffic);
    stage_t between = {
        .group = { .between = served, .beyond = all.between > 0 ? served * all.beyond / all.between : 0 },
        .blocks = scaled(blocks, away * per_leader, 1 / leaders), .bytes = scaled(bytes, away, 1 / leaders),
        .meet = leaders
    };
    const double first = inside_ns(machine, traffic, scaled(blocks, 1, 1 / nodes), scaled(bytes, 1, 1 / nodes));

    if (nodes == 1) {
        return first;
    }
    between.share = share_of(traffic, served + 1, between.blocks);
    return first + stage_ns(machine, traffic, &between) +
           inside_ns(machine, traffic, scaled(blocks, away * per_leader, 1), scaled(bytes, away * per_leader, 1));
}

/* ---- long messages sent directly ---- */

size_t irr_model_direct_from(const irr_machine_t *machine, const irr_traffic_t *traffic)
{
    const double byte = wire_ns(machine, traffic->node_ranks) + copy_ns(machine, 3);

    return (size_t)fmax(1, (double)machine->message / byte);
}

/*
 * Returns the time of an exchange that sends long messages directly, and all others through a grid or leaders.  The
 * processor times of the two parts are added.  The model assumes that forwarding waits for links in half of its time.
 */
static double split_ns(const irr_machine_t *machine, const irr_traffic_t *traffic, const irr_strategy_t *strategy)
{
    const double limit = (double)strategy->direct_from - 1, others = fmax(1, traffic->ranks - 1);
    const group_t all = everybody(machine, traffic);
    irr_traffic_t rest = *traffic, beside = *traffic;
    double most_long, long_messages, forwarded, direct;

    most_long = longer(&rest, limit);
    rest.bytes = traffic->lesser_bytes;
    long_messages = longer(&rest, limit);
    rest.lesser_bytes = fmax(0, traffic->lesser_bytes - long_messages * traffic->longest);
    rest.bytes = fmax(rest.lesser_bytes, traffic->bytes - most_long * traffic->longest);
    rest.messages = traffic->messages - fmin(most_long, long_messages);
    rest.lesser_messages = fmin(rest.messages, traffic->lesser_messages);
    beside.lesser_bytes = traffic->lesser_bytes - rest.lesser_bytes;
    beside.bytes = fmax(beside.lesser_bytes, traffic->bytes - rest.bytes);
    forwarded = strategy->route == &irr_route_node ? leaders_ns(machine, &rest) : grid_ns(machine, &rest, strategy);
    direct = links_ns(machine, &beside, &all) + latency_ns(machine, &all);
    return fmax(forwarded + messages_ns(machine, &all, (most_long + long_messages) / 2 / others),
                direct + forwarded / 2);
}

/* Returns the time of a schedule by the node route: a stage inside nodes, then the schedule between nodes. */
static double two_stages_ns(const irr_machine_t *machine, const irr_traffic_t *traffic, const irr_strategy_t *strategy)
{
    const double node = traffic->node_ranks, nodes = ceil(traffic->ranks / node);
    const group_t between = group_of(machine, traffic, node, nodes);

    return level_ns(machine, traffic, 1, node) + level_ns(machine, traffic, node, nodes) +
           pacing_ns(machine, &between, strategy, 1);
}

/* ---- any strategy ---- */

static double lossless_ns(const irr_machine_t *machine, const irr_traffic_t *traffic, const irr_strategy_t *strategy)
{
    if (irr_strategy_is_split(strategy)) {
        return split_ns(machine, traffic, strategy);
    }
    if (strategy->route == &irr_route_node) {
        return irr_strategy_is_scheduled(strategy) ? two_stages_ns(machine, traffic, strategy)
                                                   : leaders_ns(machine, traffic);
    }
    if (strategy->route == &irr_route_grid) {
        return grid_ns(machine, traffic, strategy);
    }
    return paced_ns(machine, traffic, strategy);
}

double irr_model_ns(const irr_machine_t *machine, const irr_traffic_t *traffic, const irr_strategy_t *strategy)
{
    const double ns = lossless_ns(machine, traffic, strategy);

    return strategy->pacing == &irr_pacing_free ? lossy_ns(machine, traffic, ns, bytes_above(machine, traffic)) : ns;
}

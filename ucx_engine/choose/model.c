/*
 * model.c - see model.h.
 *
 * A way is stages.  In a stage a rank speaks to the others of a group, whose members are `stride` ranks apart: with
 * direct messages all ranks are one group.  Some of the group are on its node, the others are not, and some of these
 * not at its switch.  A stage takes as long as the processor needs for its messages, or as the link needs for what
 * all ranks of the node send, whichever is more; gathering, scattering and one latency come on top, as a message leaves
 * when it is complete.
 *
 * Where one rank receives more than the others send (or sends more than they receive), all together have no more than
 * the lesser of the two sides has at most; what is beside that is the one rank's, and comes together on its way there.
 *
 * In a stage of a grid of n columns a block moves unless it is in its column already, so (n - 1) / n of all bytes do.
 * With few blocks not all columns get one: with d of them, of P ranks, a column gets none with probability
 * (1 - d/P)^(P/n).
 *
 * Where ports of switches queue few bytes (buffer), what no pace holds back is lost in part and sent again; a loss at
 * the end of a message may take a timeout.
 *
 * With leaders a rank sends to each rank of its
 * node, then to the (nodes - 1) / ranks-a-node nodes that it leads for, and to each rank of its node again.
 */
#include "choose/model.h"

#include <math.h>

/* The members of a group, but oneself. */
typedef struct group {
    double inside;    /* on the same node */
    double between;   /* on others */
    double beyond;    /* of these, not at the same switch */
} group_t;

/* What a rank has for a stage: messages of the call, or bytes. */
typedef struct load {
    double even;      /* all ranks */
    double beside;    /* some ranks have more than that */
} load_t;

/* What a rank does in a stage. */
typedef struct stage {
    group_t group;
    double  share;    /* of the group that gets a message */
    load_t  blocks;   /* in these messages, together */
    load_t  bytes;
    double  meet;     /* so many ranks of a node have what is beside */
} stage_t;

/* The mean of the messages of the rank with the most bytes, by the longest message of all. */
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

/* Of members in a row that are `stride` apart, those within so many ranks. */
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
 * Returns the time of a node's link: for the bytes that each of its ranks has for a group of others, or, if these are
 * more, for the bytes of one rank and its extra bytes.  Extra bytes of one node do not fill the links above its switch.
 */
static double link_ns(const irr_machine_t *machine, const irr_traffic_t *traffic, const group_t *group, double bytes,
                      double beside)
{
    const double members = group->inside + group->between;
    const double even = bytes * traffic->node_ranks, node = fmax(even, bytes + beside) * group->between;
    const double above = even * group->beyond * (double)machine->taper;

    return members > 0 ? wire_ns(machine, fmax(node, above) / members) : 0;
}

/* The same with direct messages. */
static double links_ns(const irr_machine_t *machine, const irr_traffic_t *traffic, const group_t *group)
{
    return link_ns(machine, traffic, group, traffic->even_bytes, traffic->bytes - traffic->even_bytes);
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
 * A stage whose messages are gathered from several blocks, and which begins when the one before has ended.  What is
 * beside is gathered by all that send to the one rank, and scattered by that rank.
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
 * The share of so many members, oneself among them, that get a message, where a rank has so many blocks, each for
 * another rank, and each member stands for as many of all ranks.
 */
static double reached(const irr_traffic_t *traffic, double members, double blocks)
{
    return 1 - pow(1 - fmin(1, blocks / traffic->ranks), traffic->ranks / members);
}

/* The mean of that over both ends of a message. */
static double share_of(const irr_traffic_t *traffic, double members, load_t blocks)
{
    const double even = reached(traffic, members, blocks.even);

    return traffic->plain ? 1 : (even + reached(traffic, members, blocks.even + blocks.beside)) / 2;
}

static load_t blocks_of(const irr_traffic_t *traffic)
{
    return (load_t){ traffic->even_messages, traffic->messages - traffic->even_messages };
}

static load_t bytes_of(const irr_traffic_t *traffic)
{
    return (load_t){ traffic->even_bytes, traffic->bytes - traffic->even_bytes };
}

/* The part of a load that moves, where a rank has the part `beside` of what is beside. */
static load_t part_of(load_t load, double moves, double beside)
{
    return (load_t){ load.even * moves, load.beside * moves * beside };
}

static group_t everybody(const irr_machine_t *machine, const irr_traffic_t *traffic)
{
    return group_of(machine, traffic, 1, traffic->ranks);
}

/* ---- what switches lose ---- */

#define SEGMENT_BYTES 1446
#define TAIL_SEGMENTS 3      /* a loss among so many at the end of a message has nothing behind it that shows it */

/*
 * Share of such losses that no probe repairs.  It fits two cases of the lab, and is ten times too low for equal
 * messages of 256 KiB.
 */
#define TIMEOUTS 0.06

/* Share of what exceeds a queue that is sent again.  It fits the simulator's a1 on star:4,4,4,4, not the lab. */
#define SENT_AGAIN 0.5

/* Share of bytes that meet at a port of a switch and that the port cannot queue. */
static double excess_of(const irr_machine_t *machine, double meeting)
{
    return machine->buffer > 0 && meeting > (double)machine->buffer ? 1 - (double)machine->buffer / meeting : 0;
}

/* Bytes that meet where nodes send more than their switch passes on, if nothing paces them. */
static double meeting_above(const irr_machine_t *machine, const irr_traffic_t *traffic)
{
    const double nodes = ceil(traffic->ranks / traffic->node_ranks);
    const bool above = machine->taper > 1 && machine->switch_nodes > 0 && nodes > (double)machine->switch_nodes;

    return above ? (double)machine->switch_nodes * traffic->node_ranks * traffic->even_bytes : 0;
}

/* The time with what is sent again, and with a timeout where one of all messages is likely to need it. */
static double lossy_ns(const irr_machine_t *machine, const irr_traffic_t *traffic, double ns, double meeting)
{
    const double excess = excess_of(machine, meeting), messages = fmax(1, traffic->messages);
    const double tail = fmin(1, TAIL_SEGMENTS * SEGMENT_BYTES * messages / fmax(1, traffic->bytes));
    const double timeouts = traffic->ranks * messages * excess * tail * TIMEOUTS;
    const double sent = ns * (1 + SENT_AGAIN * excess);

    return timeouts > log(2) ? fmax(sent, (double)(machine->timeout + machine->latency)) : sent;
}

/*
 * All ranks send to rank 0 first, then to rank 1, and so on, so the wire of the last rank is idle until all others
 * have had their messages: as far as messages are equally long.
 */
static double convoy_ns(const irr_machine_t *machine, const irr_traffic_t *traffic)
{
    const double messages = fmax(1, traffic->messages), alike = alike_of(traffic);

    if (machine->buffer == 0 || traffic->ranks <= traffic->node_ranks) {
        return 0;
    }
    return wire_ns(machine, traffic->even_bytes * traffic->node_ranks) * alike * alike * (messages - 1) / messages;
}

/* ---- direct ---- */

/* What signals, and waiting for steps, add to so many messages. */
static double pace_ns(const irr_machine_t *machine, const group_t *group, const irr_way_t *way, double share)
{
    const double work = messages_ns(machine, group, share);
    const double waits = share * (group->between * (double)machine->latency +
                                  group->inside * (double)machine->node_latency);

    if (way->pace == &irr_pace_free) {
        return 0;
    }
    if (way->pace == &irr_pace_grant) {
        return work + 2 * waits / (double)(way->grants > 0 ? way->grants : IRR_GRANTS_DEFAULT);
    }
    return way->pace->syncs ? work + waits : waits;
}

/* A rank that has most to receive may have little to send: each end of a message costs half of it. */
static double messages_of(const irr_traffic_t *traffic)
{
    return (traffic->messages + traffic->even_messages) / 2;
}

static double direct_ns(const irr_machine_t *machine, const irr_traffic_t *traffic, double messages)
{
    const group_t group = everybody(machine, traffic);
    const double others = traffic->ranks - 1, share = others > 0 ? messages / others : 0;
    const double inside = inside_bytes(&group, traffic->bytes + traffic->even_bytes);

    return fmax(messages_ns(machine, &group, share) + copy_ns(machine, inside), links_ns(machine, traffic, &group));
}

/*
 * With pace loose a step of a rank lasts as long as the longer of the message that it sends and the one that it
 * receives.  If a share `alike` of messages is as long as the longest one and the others are empty, the longer of two
 * is 2 - alike times the mean.  Schedules are left out: some of them give a step messages of one length.
 */
static double tied_ns(const irr_machine_t *machine, const irr_traffic_t *traffic, const irr_way_t *way)
{
    const group_t group = everybody(machine, traffic);
    const bool tied = way->pace == &irr_pace_loose && !irr_way_is_scheduled(way);

    return tied ? links_ns(machine, traffic, &group) * (1 - alike_of(traffic)) : 0;
}

static double paced_ns(const irr_machine_t *machine, const irr_traffic_t *traffic, const irr_way_t *way)
{
    const group_t group = everybody(machine, traffic);
    const double messages = messages_of(traffic);

    return direct_ns(machine, traffic, messages) + tied_ns(machine, traffic, way) +
           pace_ns(machine, &group, way, messages / fmax(1, traffic->ranks - 1)) + latency_ns(machine, &group);
}

double irr_model_host_ns(const irr_machine_t *machine, const irr_traffic_t *traffic)
{
    const group_t group = everybody(machine, traffic);
    const double ns = direct_ns(machine, traffic, traffic->sparse ? messages_of(traffic) : traffic->ranks - 1) +
                      latency_ns(machine, &group);
    const double meeting = group.between > 0 ? traffic->even_bytes * traffic->node_ranks : 0;

    return fmax(ns + convoy_ns(machine, traffic),
                lossy_ns(machine, traffic, ns, fmax(meeting, meeting_above(machine, traffic))));
}

/* ---- long messages ---- */

/*
 * How many of the messages are longer than a limit: if these are as long as the longest one, and the others half as
 * long as the limit, or as the mean.
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
 * Messages are for ranks anywhere.  The extra bytes for one rank come together stage by stage: after this stage one
 * rank in each `reach` has them.
 */
static double level_ns(const irr_machine_t *machine, const irr_traffic_t *traffic, double stride, double columns)
{
    const double moves = columns > 1 ? (columns - 1) / columns : 0, reach = fmin(stride * columns, traffic->ranks);
    const double met = reach / traffic->ranks;
    const load_t blocks = part_of(blocks_of(traffic), 1, met);
    const stage_t stage = {
        .group = group_of(machine, traffic, stride, columns), .share = share_of(traffic, columns, blocks),
        .blocks = part_of(blocks, moves, 1), .bytes = part_of(bytes_of(traffic), moves, met),
        .meet = fmax(1, traffic->node_ranks / reach)
    };

    return stage_ns(machine, traffic, &stage);
}

/* A balanced grid spreads messages in as many stages before; what it cuts them into is not counted. */
static double grid_ns(const irr_machine_t *machine, const irr_traffic_t *traffic, const irr_way_t *way)
{
    irr_grid_t grid;
    double sum = 0;

    if (irr_way_grid(way, traffic->ranks, NULL, &grid) != IRR_OK) {
        return INFINITY;
    }
    for (int i = 0; i < grid.levels; i++) {
        const irr_grid_level_t level = irr_grid_level(&grid, traffic->ranks, i, 0);

        sum += level_ns(machine, traffic, level.stride, level.rows.columns);
    }
    return grid.balanced ? 2 * sum : sum;
}

/* ---- nodes ---- */

/* Messages inside of a node, one to each other rank; blocks and bytes: of a rank, in these messages. */
static double inside_ns(const irr_machine_t *machine, const irr_traffic_t *traffic, load_t blocks, load_t bytes)
{
    const stage_t stage = {
        .group = { .inside = traffic->node_ranks - 1 }, .share = share_of(traffic, traffic->node_ranks, blocks),
        .blocks = blocks, .bytes = bytes, .meet = 1
    };

    return traffic->node_ranks > 1 ? stage_ns(machine, traffic, &stage) : 0;
}

/*
 * By leaders, in the three stages of route/stages.c: the second carries what all ranks of the node have for others.
 * The extra bytes for one rank are on one rank of each node after the first stage, on all leaders of its node after the
 * second stage, and on the rank itself after the third.
 */
static double leaders_ns(const irr_machine_t *machine, const irr_traffic_t *traffic)
{
    const double node = traffic->node_ranks, nodes = ceil(traffic->ranks / node);
    const double leaders = fmax(1, fmin(node, nodes - 1)), served = ceil((nodes - 1) / node);
    const double away = (traffic->ranks - fmin(node, traffic->ranks)) / fmax(1, traffic->ranks - 1);
    const double part = nodes > 1 ? served * node / (nodes - 1) : 0;
    const load_t blocks = blocks_of(traffic), bytes = bytes_of(traffic);
    const group_t all = everybody(machine, traffic);
    stage_t between = {
        .group = { .between = served, .beyond = all.between > 0 ? served * all.beyond / all.between : 0 },
        .blocks = part_of(blocks, away * part, 1 / leaders), .bytes = part_of(bytes, away, 1 / leaders), .meet = leaders
    };
    const double first = inside_ns(machine, traffic, part_of(blocks, 1, 1 / nodes), part_of(bytes, 1, 1 / nodes));

    if (nodes == 1) {
        return first;
    }
    between.share = share_of(traffic, served + 1, between.blocks);
    return first + stage_ns(machine, traffic, &between) +
           inside_ns(machine, traffic, part_of(blocks, away * part, 1), part_of(bytes, away * part, 1));
}

/* ---- long messages directly ---- */

size_t irr_model_direct_from(const irr_machine_t *machine, const irr_traffic_t *traffic)
{
    const double byte = wire_ns(machine, traffic->node_ranks) + copy_ns(machine, 3);

    return (size_t)fmax(1, (double)machine->message / byte);
}

/*
 * Beside a grid, or leaders, for the others: what processors do adds up.  Half of the time of what is forwarded, it is
 * taken to wait for links.
 */
static double split_ns(const irr_machine_t *machine, const irr_traffic_t *traffic, const irr_way_t *way)
{
    const double limit = (double)way->direct_from - 1, others = fmax(1, traffic->ranks - 1);
    const group_t all = everybody(machine, traffic);
    irr_traffic_t rest = *traffic, beside = *traffic;
    double most_long, long_messages, forwarded, direct;

    most_long = longer(&rest, limit);
    rest.bytes = traffic->even_bytes;
    long_messages = longer(&rest, limit);
    rest.even_bytes = fmax(0, traffic->even_bytes - long_messages * traffic->longest);
    rest.bytes = fmax(rest.even_bytes, traffic->bytes - most_long * traffic->longest);
    rest.messages = traffic->messages - fmin(most_long, long_messages);
    rest.even_messages = fmin(rest.messages, traffic->even_messages);
    beside.even_bytes = traffic->even_bytes - rest.even_bytes;
    beside.bytes = fmax(beside.even_bytes, traffic->bytes - rest.bytes);
    forwarded = way->route == &irr_route_node ? leaders_ns(machine, &rest) : grid_ns(machine, &rest, way);
    direct = links_ns(machine, &beside, &all) + latency_ns(machine, &all);
    return fmax(forwarded + messages_ns(machine, &all, (most_long + long_messages) / 2 / others),
                direct + forwarded / 2);
}

/* Inside of the node to the rank that serves the destination; the second stage is that of a schedule. */
static double two_stages_ns(const irr_machine_t *machine, const irr_traffic_t *traffic, const irr_way_t *way)
{
    const double node = traffic->node_ranks, nodes = ceil(traffic->ranks / node);
    const group_t between = group_of(machine, traffic, node, nodes);

    return level_ns(machine, traffic, 1, node) + level_ns(machine, traffic, node, nodes) +
           pace_ns(machine, &between, way, 1);
}

/* ---- any way ---- */

static double lossless_ns(const irr_machine_t *machine, const irr_traffic_t *traffic, const irr_way_t *way)
{
    if (irr_way_is_split(way)) {
        return split_ns(machine, traffic, way);
    }
    if (way->route == &irr_route_node) {
        return irr_way_is_scheduled(way) ? two_stages_ns(machine, traffic, way) : leaders_ns(machine, traffic);
    }
    if (way->route == &irr_route_grid) {
        return grid_ns(machine, traffic, way);
    }
    return paced_ns(machine, traffic, way);
}

double irr_model_ns(const irr_machine_t *machine, const irr_traffic_t *traffic, const irr_way_t *way)
{
    const double ns = lossless_ns(machine, traffic, way);

    return way->pace == &irr_pace_free ? lossy_ns(machine, traffic, ns, meeting_above(machine, traffic)) : ns;
}

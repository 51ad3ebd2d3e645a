/*
 * model.c - see model.h.
 *
 * A way is stages.  In a stage a rank speaks to the others of a group, whose members are `stride` ranks apart: with
 * direct messages all ranks are one group.  Some of the group are on its node, the others are not, and some of these
 * not at its switch.  A stage takes as long as the processor needs for its messages, or as the link needs for what
 * all ranks of the node send, whichever is more; gathering and copying come on top, as a message leaves when it is
 * complete; and so does one latency.
 *
 * Where one rank receives more than the others send (or sends more than they receive), all together have no more than
 * the lesser of the two sides has at most; what is beside that is the one rank's, and comes together on its way there.
 *
 * In a stage of a grid of n columns a block moves unless it is in its column already, so (n - 1) / n of all bytes do.
 * With few blocks not all columns get one: with d of them a column gets none with probability (1 - 1/n)^d.
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

/* What a rank does in a stage. */
typedef struct stage {
    group_t group;
    double  share;    /* of the group that gets a message */
    double  blocks;   /* in these messages, together */
    double  bytes;
    double  beside;   /* that some ranks have more than that, */
    double  meet;     /* and how many of these are on a node */
} stage_t;

static double least(double a, double b)
{
    return a < b ? a : b;
}

static double most(double a, double b)
{
    return a > b ? a : b;
}

/* The mean of the messages of the rank with the most bytes, by the longest message of all. */
static double alike_of(const irr_traffic_t *traffic)
{
    return traffic->longest > 0 ? traffic->bytes / most(1, traffic->messages) / traffic->longest : 1;
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
    return least(members, most(1, ranks / stride));
}

static group_t group_of(const irr_machine_t *machine, const irr_traffic_t *traffic, double stride, double members)
{
    const double node = within(traffic->node_ranks, stride, members);
    const double ranks = (double)machine->switch_nodes * traffic->node_ranks;
    const double local = machine->switch_nodes > 0 ? within(ranks, stride, members) : members;

    return (group_t){ .inside = node - 1, .between = members - node, .beyond = members - local };
}

/* What the link of a node needs for the bytes that each rank of it has for a group of others, and one has beside. */
static double link_ns(const irr_machine_t *machine, const irr_traffic_t *traffic, const group_t *group, double bytes,
                      double beside)
{
    const double members = group->inside + group->between;
    const double slowest = most(group->between, group->beyond * (double)machine->taper);

    return members > 0 ? wire_ns(machine, (bytes * traffic->node_ranks + beside) * slowest / members) : 0;
}

/* The same with direct messages. */
static double links_ns(const irr_machine_t *machine, const irr_traffic_t *traffic, const group_t *group)
{
    return link_ns(machine, traffic, group, traffic->even, traffic->bytes - traffic->even);
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

/* Of a stage whose messages are gathered from several blocks, and which begins when the one before has ended. */
static double stage_ns(const irr_machine_t *machine, const irr_traffic_t *traffic, const stage_t *stage)
{
    const group_t *group = &stage->group;
    const double work = messages_ns(machine, group, stage->share);
    const double copied = stage->bytes + stage->beside + inside_bytes(group, stage->bytes + stage->beside);

    return most(work, link_ns(machine, traffic, group, stage->bytes, stage->beside * stage->meet)) +
           copy_ns(machine, copied) + stage->blocks * (double)machine->piece + latency_ns(machine, group);
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

    return above ? (double)machine->switch_nodes * traffic->node_ranks * traffic->even : 0;
}

/* The time with what is sent again, and with a timeout where one of all messages is likely to need it. */
static double lossy_ns(const irr_machine_t *machine, const irr_traffic_t *traffic, double ns, double meeting)
{
    const double excess = excess_of(machine, meeting), messages = most(1, traffic->messages);
    const double tail = least(1, TAIL_SEGMENTS * SEGMENT_BYTES * messages / most(1, traffic->bytes));
    const double timeouts = traffic->ranks * messages * excess * tail * TIMEOUTS;
    const double sent = ns * (1 + SENT_AGAIN * excess);

    return timeouts > log(2) ? most(sent, (double)(machine->timeout + machine->latency)) : sent;
}

/*
 * All ranks send to rank 0 first, then to rank 1, and so on, so the wire of the last rank is idle until all others
 * have had their messages: as far as messages are equally long.
 */
static double convoy_ns(const irr_machine_t *machine, const irr_traffic_t *traffic)
{
    const double messages = most(1, traffic->messages), alike = alike_of(traffic);

    if (machine->buffer == 0 || traffic->ranks <= traffic->node_ranks) {
        return 0;
    }
    return wire_ns(machine, traffic->even * traffic->node_ranks) * alike * alike * (messages - 1) / messages;
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

static double direct_ns(const irr_machine_t *machine, const irr_traffic_t *traffic, double messages)
{
    const group_t group = everybody(machine, traffic);
    const double others = traffic->ranks - 1, share = others > 0 ? messages / others : 0;
    const double inside = inside_bytes(&group, traffic->bytes + traffic->even);

    return most(messages_ns(machine, &group, share) + copy_ns(machine, inside), links_ns(machine, traffic, &group));
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
    const double others = traffic->ranks - 1, share = others > 0 ? traffic->messages / others : 0;

    return direct_ns(machine, traffic, traffic->messages) + tied_ns(machine, traffic, way) +
           pace_ns(machine, &group, way, share) + latency_ns(machine, &group);
}

double irr_model_host_ns(const irr_machine_t *machine, const irr_traffic_t *traffic)
{
    const group_t group = everybody(machine, traffic);
    const double ns = direct_ns(machine, traffic, traffic->sparse ? traffic->messages : traffic->ranks - 1) +
                      latency_ns(machine, &group);
    const double meeting = group.between > 0 ? traffic->even * traffic->node_ranks : 0;

    return most(ns + convoy_ns(machine, traffic),
                lossy_ns(machine, traffic, ns, most(meeting, meeting_above(machine, traffic))));
}

/* ---- long messages ---- */

/*
 * How many of the messages are longer than a limit: if these are as long as the longest one, and the others half as
 * long as the limit, or as the mean.
 */
static double longer(const irr_traffic_t *traffic, double limit)
{
    const double mean = traffic->messages > 0 ? traffic->bytes / traffic->messages : 0;
    const double others = least(limit, mean) / 2;

    if (traffic->longest <= limit || traffic->longest <= others) {
        return 0;
    }
    return least(traffic->messages, (traffic->bytes - traffic->messages * others) / (traffic->longest - others));
}

/* ---- grids ---- */

/*
 * blocks: that each rank has, for ranks anywhere.  What one rank receives beside others comes together stage by stage:
 * behind this one it is with one rank in each `reach`.
 */
static double level_ns(const irr_machine_t *machine, const irr_traffic_t *traffic, double blocks, double stride,
                       double columns)
{
    const double moves = columns > 1 ? (columns - 1) / columns : 0, reach = least(stride * columns, traffic->ranks);
    const double beside = (traffic->bytes - traffic->even) * moves * reach / traffic->ranks;
    const stage_t stage = {
        .group = group_of(machine, traffic, stride, columns), .blocks = blocks * moves,
        .share = traffic->plain ? 1 : 1 - pow(1 - 1 / columns, blocks), .bytes = traffic->even * moves,
        .beside = beside, .meet = most(1, traffic->node_ranks / reach)
    };

    return stage_ns(machine, traffic, &stage);
}

/* Into how many slices a balanced grid cuts a message, where each may be one for each column. */
static double slices(const irr_traffic_t *traffic, const irr_way_t *way, double columns)
{
    const double mean = traffic->messages > 0 ? traffic->bytes / traffic->messages : 0;

    return most(1, least(columns, floor(mean / most(1, (double)way->slice_min))));
}

static double grid_ns(const irr_machine_t *machine, const irr_traffic_t *traffic, const irr_way_t *way)
{
    double blocks = traffic->messages, sum = 0;
    irr_grid_t grid;

    if (irr_way_grid(way, traffic->ranks, NULL, &grid) != IRR_OK) {
        return INFINITY;
    }
    for (int i = 0; grid.balanced && i < grid.levels; i++) {
        const irr_grid_level_t level = irr_grid_level(&grid, traffic->ranks, i, 0);

        blocks *= slices(traffic, way, level.rows.columns);
        sum += level_ns(machine, traffic, blocks, level.stride, level.rows.columns);
    }
    for (int i = 0; i < grid.levels; i++) {
        const irr_grid_level_t level = irr_grid_level(&grid, traffic->ranks, i, 0);

        sum += level_ns(machine, traffic, blocks, level.stride, level.rows.columns);
    }
    return sum;
}

/* ---- nodes ---- */

/* Messages inside of a node, one to each other rank; blocks and bytes: of a rank, in these messages. */
static double inside_ns(const irr_machine_t *machine, const irr_traffic_t *traffic, double blocks, double bytes)
{
    const stage_t stage = {
        .group = { .inside = traffic->node_ranks - 1 }, .share = 1, .blocks = blocks, .bytes = bytes };

    return stage_ns(machine, traffic, &stage);
}

/* By leaders, in the three stages of route/stages.c: the second carries what all ranks of the node have for others. */
static double leaders_ns(const irr_machine_t *machine, const irr_traffic_t *traffic)
{
    const double node = traffic->node_ranks, nodes = ceil(traffic->ranks / node);
    const double served = ceil((nodes - 1) / node), part = nodes > 1 ? served * node / (nodes - 1) : 0;
    const double others = most(1, traffic->ranks - 1), away = (traffic->ranks - least(node, traffic->ranks)) / others;
    const double bytes = traffic->even * away, blocks = traffic->messages * away;
    const group_t all = everybody(machine, traffic);
    const stage_t between = {
        .group = { .between = served, .beyond = all.between > 0 ? served * all.beyond / all.between : 0 }, .share = 1,
        .blocks = blocks * part, .bytes = bytes, .beside = (traffic->bytes - traffic->even) * away, .meet = 1
    };
    const double first = node > 1 ? inside_ns(machine, traffic, traffic->messages, traffic->bytes) : 0;
    const double second = nodes > 1 ? stage_ns(machine, traffic, &between) : 0;
    const double third = nodes > 1 && node > 1 ? inside_ns(machine, traffic, blocks * part, bytes * part) : 0;

    return first + second + third;
}

/* ---- long messages directly ---- */

size_t irr_model_direct_from(const irr_machine_t *machine, const irr_traffic_t *traffic)
{
    const double byte = wire_ns(machine, traffic->node_ranks) + copy_ns(machine, 3);

    return (size_t)most(1, (double)machine->message / byte);
}

/* Beside a grid, or leaders, for the others: what processors do adds up, and links are shared. */
static double split_ns(const irr_machine_t *machine, const irr_traffic_t *traffic, const irr_way_t *way)
{
    const double limit = (double)way->direct_from - 1, others = most(1, traffic->ranks - 1);
    const group_t all = everybody(machine, traffic);
    irr_traffic_t rest = *traffic, beside = *traffic;
    double most_long, long_messages, forwarded;

    most_long = longer(&rest, limit);
    rest.bytes = traffic->even;
    long_messages = longer(&rest, limit);
    rest.even = most(0, traffic->even - long_messages * traffic->longest);
    rest.bytes = most(rest.even, traffic->bytes - most_long * traffic->longest);
    rest.messages = traffic->messages - least(most_long, long_messages);
    beside.even = traffic->even - rest.even;
    beside.bytes = most(beside.even, traffic->bytes - rest.bytes);
    forwarded = way->route == &irr_route_node ? leaders_ns(machine, &rest) : grid_ns(machine, &rest, way);
    return most(forwarded, links_ns(machine, &beside, &all) + latency_ns(machine, &all)) +
           messages_ns(machine, &all, (most_long + long_messages) / 2 / others);
}

/* Inside of the node to the rank that serves the destination; the second stage is that of a schedule. */
static double two_stages_ns(const irr_machine_t *machine, const irr_traffic_t *traffic, const irr_way_t *way)
{
    const double node = traffic->node_ranks, nodes = ceil(traffic->ranks / node);
    const group_t between = group_of(machine, traffic, node, nodes);

    return level_ns(machine, traffic, traffic->messages, 1, node) +
           level_ns(machine, traffic, traffic->messages, node, nodes) + pace_ns(machine, &between, way, 1);
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

/* ---- traffic ---- */

irr_traffic_t irr_traffic_of(const irr_matrix_t *matrix, int node_ranks)
{
    irr_traffic_t traffic = {
        .ranks = matrix->ranks, .node_ranks = node_ranks < matrix->ranks ? node_ranks : matrix->ranks
    };
    double sides[2] = { 0, 0 };

    for (int i = 0; i < matrix->ranks; i++) {
        double messages[2] = { 0, 0 }, bytes[2] = { 0, 0 };

        for (int j = 0; j < matrix->ranks; j++) {
            const uint64_t ways[2] = { *irr_matrix_at(matrix, i, j), *irr_matrix_at(matrix, j, i) };

            for (int side = 0; side < 2 && i != j; side++) {
                messages[side] += ways[side] > 0;
                bytes[side] += (double)ways[side];
                traffic.longest = most(traffic.longest, (double)ways[side]);
            }
        }
        for (int side = 0; side < 2; side++) {
            traffic.messages = most(traffic.messages, messages[side]);
            sides[side] = most(sides[side], bytes[side]);
        }
    }
    traffic.bytes = most(sides[0], sides[1]);
    traffic.even = least(sides[0], sides[1]);
    return traffic;
}

/* settings.c - the table of the settings of a communicator, with their texts of help; see settings.h. */
#include "plan/settings.h"

#include <limits.h>
#include <string.h>

#define AT(member)  offsetof(irr_settings_t, member)
#define TEXT_OF(x)  #x
#define TEXT(x)     TEXT_OF(x)
#define SIZE        "a whole number, with an optional suffix k, m or g"
#define ZERO(means) SIZE "; 0 means " means

#define SECONDS_MAX 1000000000

enum { USER = IRR_SETTING_USER, EXPERT = IRR_SETTING_EXPERT, DEVELOPER = IRR_SETTING_DEVELOPER };

static const irr_setting_t settings[] = {
    { "compose", IRR_SETTING_NAME, EXPERT, AT(compose), "auto",
      "How a message of several pieces in memory is sent. iovec: the transport gets a list of the pieces; gather: "
      "the transport copies the pieces, and on one node also a single piece, into its own memory; split: each piece "
      "is a message; auto: depends on number and lengths of the pieces.",
      .value = irr_compose_name },
    { "overlap", IRR_SETTING_NAME, EXPERT, AT(overlap), "pipelined",
      "When a rank starts a message of a store-and-forward algorithm. pipelined: when its data has arrived; dual: "
      "when all messages of the previous stage have arrived; single: when the rank has also sent all messages of "
      "that stage; blocking: one by one, with a barrier after each stage.",
      .value = irr_overlap_name },
    { "pacing", IRR_SETTING_NAME, EXPERT, AT(pacing), "auto",
      "When a message of a direct or scheduled algorithm starts. free: at once; loose: when all messages of its "
      "sender's earlier steps are complete; grant: when its receiver sends a grant; sync: when earlier messages on "
      "the same links are complete; auto: the algorithm's default.",
      .value = irr_pacing_name, .older = "pace" },
    { "host_route", IRR_SETTING_NAME, EXPERT, AT(host_route), "auto",
      "How algorithm tree sends between nodes with several ranks. direct: each rank sends its own messages; node: "
      "one rank of a node collects the messages for another node and sends them as one; auto: trials compare both, "
      "but if coll_irr_pacing is set, it means direct.",
      .value = irr_host_route_name },
    { "window_messages", IRR_SETTING_SIZE, EXPERT, AT(window_messages), "0",
      "Largest number of messages that a rank has in flight in one exchange. 0 means no limit.",
      .allowed = ZERO("no limit") },
    { "window_bytes", IRR_SETTING_SIZE, EXPERT, AT(window_bytes), "0",
      "Largest number of bytes that a rank has in flight in one exchange. A longer message is sent while no other "
      "message is in flight. 0 means no limit.",
      .allowed = ZERO("no limit") },
    { "dims", IRR_SETTING_DIMS, EXPERT, AT(dims), "auto",
      "Shape of the grid for algorithms grid, balanced-grid, hybrid and bruck: the size of each dimension, as in "
      "8x8, 4x4x4 or 2^6. auto: the algorithm chooses. The size of the last dimension is computed from the number of "
      "ranks; the given last size is ignored.",
      .allowed = "auto, or at most " TEXT(IRR_DIMS_MAX) " sizes of at least 2, as in 8x8, 4x4x4 or 2^6" },
    { "slice_min", IRR_SETTING_SIZE, DEVELOPER, AT(slice_min), TEXT(IRR_SLICE_MIN_DEFAULT),
      "Length in bytes of the shortest slice into which algorithms spread and balanced-grid cut a message. 0 means "
      "that slices may have any length.",
      .allowed = ZERO("any length") },
    { "direct_bytes", IRR_SETTING_AUTO_SIZE, DEVELOPER, AT(direct_bytes), "auto",
      "Length in bytes of the shortest message that algorithms hybrid and node send directly. 0: all messages go "
      "through other ranks; auto: " TEXT(IRR_DIRECT_DEFAULT) " for hybrid, " TEXT(IRR_NODE_DIRECT_DEFAULT) " for "
      "node.",
      .allowed = "auto, or " ZERO("that no message goes directly") },
    { "grants", IRR_SETTING_SIZE, DEVELOPER, AT(grants), "0",
      "Pacing grant: a rank receives at most this number of messages at a time, and sends at most as many. 0 means "
      TEXT(IRR_GRANTS_DEFAULT) ", or more if algorithm tree sends messages between nodes in pieces.",
      .allowed = ZERO("the default") },
    { "lead_bytes", IRR_SETTING_AUTO_SIZE, DEVELOPER, AT(lead_bytes), "auto",
      "Pacing sync: a receiver signals the next sender when this number of bytes of the current message has yet to "
      "arrive. A good value is the bandwidth times the time in which a process reacts. 0: after the last byte; "
      "auto: tree tries several values between nodes, others use " TEXT(IRR_LEAD_DEFAULT) ".",
      .allowed = "auto, or " ZERO("after the last byte") },
    { "piece_bytes", IRR_SETTING_AUTO_SIZE, DEVELOPER, AT(piece_bytes), "auto",
      "Largest length in bytes of a piece. Algorithms with a schedule send a longer message as several pieces, one "
      "by one. With pacing grant, choose less than the queue of a switch port holds. 0 means no limit; auto: tree "
      "tries several values between nodes, others have no limit.",
      .allowed = "auto, or " ZERO("no limit") },
    { "seed", IRR_SETTING_SIZE, DEVELOPER, AT(scheduled.seed), "1",
      "Seed of the random orders (random, random-sorted, random-heap).",
      .allowed = SIZE },
    { "lambda", IRR_SETTING_LAMBDA, DEVELOPER, AT(scheduled.lambda), "incremental",
      "Algorithm random-heap: share of a step's messages that is sent whole; the longer ones are split. fixed:L: L; "
      "incremental:L: rises from L (default 0.75); proportional:F: F times the mean number of messages left to a "
      "rank, at most 1; search: the best of several L; one: no splits.",
      .allowed = "incremental, incremental:L, fixed:L, proportional:F, search or one; L above 0 and at most 1, F at "
                 "most 100" },
    { "latency_bytes", IRR_SETTING_SIZE, DEVELOPER, AT(scheduled.latency), TEXT(IRR_LATENCY_DEFAULT),
      "Algorithm random-heap: cost of the start of a message, as the number of bytes that a rank could send in this "
      "time. irr_tune measures it.",
      .allowed = SIZE },
    { "max_steps", IRR_SETTING_WHOLE, DEVELOPER, AT(scheduled.max_steps), "0",
      "Algorithms optimal and tree: limit of the number of steps. A schedule with more steps is made again with "
      "rounded lengths: it has fewer steps, and the exchange takes a little longer. It keeps at least as many steps "
      "as the busiest rank has messages. 0 means no limit.",
      .allowed = "a whole number up to 2147483647; 0 means no limit", .min = 0, .max = INT_MAX },
    { "xor_shift", IRR_SETTING_SWITCH, DEVELOPER, AT(scheduled.shift), "0",
      "Algorithm xor: the rank to which rank i sends in step k. 0: rank i xor k; 1: rank i + k. It is always rank i "
      "+ k if the number of ranks is no power of two.",
      .allowed = "0 or 1", .older = "lp_shift" },
    { "redistribution", IRR_SETTING_REDISTRIBUTION, EXPERT, AT(scheduled.redistribution), "none",
      "Algorithm redistribution: x,p,y,q redistributes a block-cyclic array from blocks of x elements on p ranks to "
      "blocks of y elements on q ranks.",
      .allowed = "none, or four numbers x,p,y,q of at least 1" },
    { "matrix_max_bytes", IRR_SETTING_SIZE, DEVELOPER, AT(matrix_max_bytes), "64m",
      "Largest size in bytes of the count matrix on rank 0; the default allows 2896 ranks. With more ranks, "
      "algorithms that compute a schedule act like direct. 0 means no limit.",
      .allowed = ZERO("no limit") },
    { "schedule_ms", IRR_SETTING_SIZE, DEVELOPER, AT(schedule_ms), "1000",
      "Largest time in milliseconds in which rank 0 computes a schedule while all ranks wait. If the computation "
      "takes longer, exchanges with these counts run without a schedule. 0 means no limit.",
      .allowed = ZERO("no limit") },
    { "cache_bytes", IRR_SETTING_SIZE, DEVELOPER, AT(cache_bytes), "16m",
      "Largest number of bytes of schedules that a communicator keeps on each rank. It always keeps the latest "
      "schedule, and never more than seven. 0 means no limit in bytes.",
      .allowed = ZERO("no limit") },
    { "shm", IRR_SETTING_SWITCH, EXPERT, AT(shm), "1",
      "1: ranks of a node exchange messages through shared memory of coll/irr, if each rank of the communicator can "
      "map the memory of the other ranks of its node. 0: UCX or libfabric carries these messages.",
      .allowed = "0 or 1" },
    { "timeout", IRR_SETTING_SIZE, USER, AT(timeout), "0",
      "Time in seconds after which an unfinished exchange ends in an error on all ranks; the same holds for an "
      "unfinished agreement of the ranks on an algorithm. An error message names the missing rank. Later exchanges "
      "on the communicator fail at once. 0 means no limit, as in Open MPI.",
      .allowed = "a whole number of seconds up to " TEXT(SECONDS_MAX) "; 0 means no limit", .max = SECONDS_MAX },
    { "schedule_file", IRR_SETTING_TEXT, EXPERT, AT(schedule_file), "",
      "File with a schedule that irr_plan --save wrote. Exchanges with the counts of the file use this schedule. If "
      "a file is set, coll/irr serves all exchanges, and algorithm auto means direct; with coll_irr_topology_file "
      "and several hosts, auto means tree.",
      .allowed = "the name of a file" },
    { "topology_file", IRR_SETTING_TEXT, USER, AT(topology_file), "",
      "File with the switches between hosts, in the syntax of Slurm's topology.conf, for algorithms tree and auto. "
      "If the file lacks a host of a communicator, Open MPI serves the communicator. Without a file, the "
      "switches come from Slurm, or all hosts have one switch.",
      .allowed = "the name of a file" },
    { "matrix_dump", IRR_SETTING_TEXT, EXPERT, AT(matrix_dump), "",
      "Prefix of file names. Rank 0 of each communicator writes each new count matrix to a Matrix Market file, and "
      "an index of these files. Each exchange then takes one more agreement, and algorithm auto means direct; with "
      "coll_irr_topology_file and several hosts, auto means tree.",
      .allowed = "the beginning of file names" }
};

enum { SETTINGS = sizeof(settings) / sizeof(settings[0]) };

_Static_assert((int)SETTINGS <= IRR_SETTINGS_MAX, "there is room for each row");

const irr_setting_t *irr_setting_at(int i)
{
    return i >= 0 && i < SETTINGS ? &settings[i] : NULL;
}

const irr_setting_t *irr_setting_find(const char *name)
{
    for (int i = 0; i < SETTINGS; i++) {
        if (strcmp(settings[i].name, name) == 0) {
            return &settings[i];
        }
    }
    return NULL;
}

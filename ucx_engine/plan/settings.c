/*
 * settings.c - see settings.h: the table.
 */
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
      "How a message of several pieces is sent. auto: by number and size of the pieces; iovec: the transport gets the "
      "list; gather: copied into the transport's memory, on one node also a message of one piece; split: each piece is "
      "a message.",
      .value = irr_compose_name },
    { "overlap", IRR_SETTING_NAME, EXPERT, AT(overlap), "pipelined",
      "When a stage of a store-and-forward algorithm may begin on a rank. pipelined: each message when its parts have "
      "arrived; dual: when all of the stage before arrived; single: and was sent, too; blocking: one send at a time, "
      "a barrier after each stage.",
      .value = irr_overlap_name },
    { "pacing", IRR_SETTING_NAME, EXPERT, AT(pacing), "auto",
      "When a message of a direct or scheduled algorithm may start. free: at once; loose: when this rank is done with "
      "the steps before; grant: when the receiver asks for it; sync: when messages that share a link are over; auto: "
      "the default pacing of the algorithm.",
      .value = irr_pacing_name, .older = "pace" },
    { "host_route", IRR_SETTING_NAME, EXPERT, AT(host_route), "auto",
      "With tree, on nodes that have several ranks. direct: each rank sends its messages itself; node: ranks of a node "
      "collect messages for another node on one rank, which sends them as one; auto: both are tried unless the pacing "
      "is set.",
      .value = irr_host_route_name },
    { "window_messages", IRR_SETTING_SIZE, EXPERT, AT(window_messages), "0",
      "Largest number of messages that a rank has in flight in one exchange. 0 means no limit.",
      .allowed = ZERO("no limit") },
    { "window_bytes", IRR_SETTING_SIZE, EXPERT, AT(window_bytes), "0",
      "Largest number of bytes that a rank has in flight in one exchange; a longer message goes alone. 0 means no "
      "limit.",
      .allowed = ZERO("no limit") },
    { "dims", IRR_SETTING_DIMS, EXPERT, AT(dims), "auto",
      "Sizes of the grid of grid, balanced-grid, hybrid and bruck, dimension by dimension, as in 8x8, 4x4x4 or 2^6; "
      "the last dimension takes the rest. auto: the algorithm chooses.",
      .allowed = "auto, or at most " TEXT(IRR_DIMS_MAX) " sizes of at least 2, as in 8x8, 4x4x4 or 2^6" },
    { "slice_min", IRR_SETTING_SIZE, DEVELOPER, AT(slice_min), TEXT(IRR_SLICE_MIN_DEFAULT),
      "Bytes of the shortest slice into which a balanced algorithm (spread, balanced-grid) cuts messages. 0 means to "
      "cut to the byte, as published.",
      .allowed = ZERO("to cut to the byte") },
    { "direct_bytes", IRR_SETTING_AUTO_SIZE, DEVELOPER, AT(direct_bytes), "auto",
      "With hybrid and node: bytes from which a message goes directly, not through other ranks. 0 means that none "
      "does; auto: " TEXT(IRR_DIRECT_DEFAULT) " with hybrid, " TEXT(IRR_NODE_DIRECT_DEFAULT) " with node.",
      .allowed = "auto, or " ZERO("that none does") },
    { "grants", IRR_SETTING_SIZE, DEVELOPER, AT(grants), "0",
      "With pacing grant: number of senders that a receiver admits at a time, and of messages that a rank sends at a "
      "time. 0 means " TEXT(IRR_GRANTS_DEFAULT) ", or more with the short pieces of tree between nodes.",
      .allowed = ZERO("what goes with the pieces") },
    { "lead_bytes", IRR_SETTING_AUTO_SIZE, DEVELOPER, AT(lead_bytes), "auto",
      "With pacing sync: a rank signals so many bytes before the end of what it receives: about what the network "
      "carries while a process answers. 0 means at the end; auto: tree between nodes tries several, others take "
      TEXT(IRR_LEAD_DEFAULT) ".",
      .allowed = "auto, or " ZERO("at the end") },
    { "piece_bytes", IRR_SETTING_AUTO_SIZE, DEVELOPER, AT(piece_bytes), "auto",
      "With a scheduled algorithm: bytes above which a message goes in pieces, one after the other. With pacing grant "
      "less than what a port of a switch queues. 0 means no limit; auto: tree between nodes tries several, others have "
      "no limit.",
      .allowed = "auto, or " ZERO("no limit") },
    { "seed", IRR_SETTING_SIZE, DEVELOPER, AT(scheduled.seed), "1",
      "Seed of the random orders (random, random-sorted, random-heap).",
      .allowed = SIZE },
    { "lambda", IRR_SETTING_LAMBDA, DEVELOPER, AT(scheduled.lambda), "incremental",
      "With random-heap: part of the messages of a step that go whole, while longer ones are split. incremental:L "
      "grows from L (0.75); fixed:L; proportional:F, F times the messages left; search takes the best of several; one "
      "splits nothing.",
      .allowed = "incremental, incremental:L, fixed:L, proportional:F, search or one; L above 0 and at most 1, F at "
                 "most 100" },
    { "latency_bytes", IRR_SETTING_SIZE, DEVELOPER, AT(scheduled.latency), TEXT(IRR_LATENCY_DEFAULT),
      "With random-heap: bytes that a rank could send in the time in which a message starts. irr_tune measures it.",
      .allowed = SIZE },
    { "max_steps", IRR_SETTING_WHOLE, DEVELOPER, AT(scheduled.max_steps), "0",
      "With optimal and tree: number of steps above which the schedule is coarsened, so that it takes somewhat longer "
      "than the bytes of the busiest rank or link. It has at least as many steps as that rank has messages. 0 means no "
      "limit.",
      .allowed = "a whole number up to 2147483647; 0 means no limit", .min = 0, .max = INT_MAX },
    { "xor_shift", IRR_SETTING_SWITCH, DEVELOPER, AT(scheduled.shift), "0",
      "With xor: 1 means that in step k rank i sends to i + k for powers of two too, where 0 means to i xor k.",
      .allowed = "0 or 1", .older = "lp_shift" },
    { "redistribution", IRR_SETTING_REDISTRIBUTION, EXPERT, AT(scheduled.redistribution), "none",
      "With redistribution: the redistribution of an array that the exchange does, as x,p,y,q: from blocks of x "
      "elements in turn on p ranks to blocks of y elements in turn on q ranks.",
      .allowed = "none, or x,p,y,q, all from 1 on" },
    { "matrix_max_bytes", IRR_SETTING_SIZE, DEVELOPER, AT(matrix_max_bytes), "64m",
      "Bytes of memory for the count matrix on rank 0. Above it, by default from 2897 ranks on, an algorithm that "
      "needs the matrix does as direct. 0 means no limit.",
      .allowed = ZERO("no limit") },
    { "schedule_ms", IRR_SETTING_SIZE, DEVELOPER, AT(schedule_ms), "1000",
      "Milliseconds that rank 0 may take to compute the schedule of new counts, while all ranks wait; if it is not "
      "done, exchanges with these counts go without. 0 means no limit.",
      .allowed = ZERO("no limit") },
    { "cache_bytes", IRR_SETTING_SIZE, DEVELOPER, AT(cache_bytes), "16m",
      "Bytes of schedules that a communicator keeps on each rank; the latest one is always kept, and at most seven "
      "are. 0 means no limit.",
      .allowed = ZERO("no limit") },
    { "shm", IRR_SETTING_SWITCH, EXPERT, AT(shm), "1",
      "1 means that ranks of a node use shared memory of coll/irr's own, if all ranks of the communicator can map that "
      "of the others on their node. 0 means that the network carries these messages, too.",
      .allowed = "0 or 1" },
    { "timeout", IRR_SETTING_SIZE, USER, AT(timeout), "0",
      "Seconds after which an exchange that is not over, or an agreement of ranks, ends in an error on all ranks, as "
      "do later ones on the communicator; a message names the rank that is missing. 0 means to wait for ever, as Open "
      "MPI's own does.",
      .allowed = "a whole number of seconds up to " TEXT(SECONDS_MAX) "; 0 means to wait for ever",
      .max = SECONDS_MAX },
    { "schedule_file", IRR_SETTING_TEXT, EXPERT, AT(schedule_file), "",
      "File with a schedule that irr_plan --save wrote. Exchanges with its counts use it and need no count matrix. "
      "Where auto would be Open MPI's own it is direct then.",
      .allowed = "the name of a file" },
    { "topology_file", IRR_SETTING_TEXT, USER, AT(topology_file), "",
      "File with the switches between hosts, in the syntax of Slurm's topology.conf, for tree and auto. A communicator "
      "with a host that it lacks stays with Open MPI. Without a file Slurm is asked, else all hosts are at one "
      "switch.",
      .allowed = "the name of a file" },
    { "matrix_dump", IRR_SETTING_TEXT, EXPERT, AT(matrix_dump), "",
      "Beginning of the names of files, to which rank 0 of each communicator writes each new count matrix in Matrix "
      "Market format, and an index. It costs an agreement an exchange; where auto would be Open MPI's own it is "
      "direct.",
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

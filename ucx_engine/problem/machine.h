/*
 * machine.h - the cost of messages on a machine, as a few constants.
 *
 * Four constants are the most important: the processor time of a message between nodes, its latency, the bandwidth of a
 * node's link, and the speed at which a rank copies memory.  The other constants describe messages inside a node, the
 * pieces of messages, the lowest switches and the links above them, and the loss of packets at ports of switches.
 */
#ifndef IRR_MACHINE_H
#define IRR_MACHINE_H

#include "problem/lines.h"

/*
 * X(field, preset, must, least, most, text).  `field` is also the name of the constant in a file.  If `must` is true,
 * each file must contain the constant.  Without a file the presets are used: links of 100 Gbit/s, and messages that
 * cost a little more than a microsecond.  To find out which strategy (algorithm with its parameters) is faster, only
 * the ratios of the constants must be about right.
 */
#define IRR_MACHINE_MAP(X) \
    X(message, 1300, true, 1, 1000000000,                                                               \
      "processor time of a message between nodes, half at each end, in ns")                             \
    X(latency, 1500, true, 1, 1000000000,                                                               \
      "network latency of a message between nodes, without the time of its bytes, in ns")               \
    X(bandwidth, 100000, true, 1, 100000000,                                                            \
      "bandwidth of the link of a node, in each direction, in Mbit/s")                                  \
    X(copy, 4000, true, 1, 100000000,                                                                   \
      "speed at which a rank copies memory, in MB/s")                                                   \
    X(node_message, 400, false, 1, 1000000000,                                                          \
      "processor time of a message inside a node, in ns")                                               \
    X(node_latency, 300, false, 1, 1000000000,                                                          \
      "latency of a message inside a node, in ns")                                                      \
    X(piece, 10, false, 0, 1000000,                                                                     \
      "additional time of each piece of a message with several pieces, in ns")                          \
    X(switch_nodes, 0, false, 0, 1000000,                                                               \
      "number of nodes at each switch of the lowest level; 0: all nodes at one switch")                 \
    X(taper, 1, false, 1, 1000,                                                                         \
      "bandwidth of all nodes of a switch together, divided by the bandwidth of its uplink")            \
    X(buffer, 0, false, 0, 1000000000,                                                                  \
      "number of bytes that a port of a switch can queue; 0: no packet is lost")                        \
    X(timeout, 200000000, false, 1, 1000000000,                                                         \
      "time after which TCP sends an unacknowledged segment again, in ns")

#define IRR_MACHINE_FIELD(field, preset, must, least, most, text) uint64_t field;
typedef struct irr_machine { IRR_MACHINE_MAP(IRR_MACHINE_FIELD) } irr_machine_t;
#undef IRR_MACHINE_FIELD

#define IRR_MACHINE_PRESET(field, preset, must, least, most, text) .field = preset,
#define IRR_MACHINE_DEFAULT ((irr_machine_t){ IRR_MACHINE_MAP(IRR_MACHINE_PRESET) })

/* Largest length of a file in bytes. */
#define IRR_MACHINE_BYTES_MAX 65536

/*
 * Reads a file with lines `NAME VALUE`.  A value is an integer in the unit above.  A file has each constant at most
 * once.  Comments begin with #.  After IRR_ERR_IO and IRR_ERR_FORMAT, *error has the line (0: the whole file), its
 * content and the allowed values, and *machine is unchanged.  May block on the file system.
 */
irr_status_t irr_machine_read(const char *path, irr_machine_t *machine, irr_file_error_t *error);

/* Return name and description of constant i, or NULL past the last one. */
const char *irr_machine_name(int i);
const char *irr_machine_text(int i);

#endif

/*
 * machine.h - a machine as a few constants: what messages between its ranks cost.
 *
 * Four say how nodes speak to each other: what a message costs the processors, how long it is under way, how fast a
 * node's link is, and how fast a rank copies memory.  The others say what is cheaper inside a node, whether the
 * switches above the nodes pass on all that these send, and what their ports lose.
 *
 * Pure, but for the reader.
 */
#ifndef IRR_MACHINE_H
#define IRR_MACHINE_H

#include "problem/lines.h"

/*
 * X(field, preset, must, least, most, unit, text).  The name of a constant in a file is that of its field; `must`: a
 * file has to have it.  The presets hold where nobody has measured: 100 Gbit/s, and messages that cost a microsecond
 * and a bit.  To rank ways it is enough that the ratios of the constants are about right.
 */
#define IRR_MACHINE_MAP(X)                                                                                     \
    X(message,      1300,   true,  1, 1000000000, "ns",     "of a message between nodes, half at either end")  \
    X(latency,      1500,   true,  1, 1000000000, "ns",     "that a message is under way, beside its bytes")   \
    X(bandwidth,    100000, true,  1, 100000000,  "Mbit/s", "of the link of a node, in each direction")        \
    X(copy,         4000,   true,  1, 100000000,  "MB/s",   "that a rank copies from memory to memory")        \
    X(node_message, 400,    false, 1, 1000000000, "ns",     "the same as message inside a node")               \
    X(node_latency, 300,    false, 1, 1000000000, "ns",     "the same as latency inside a node")               \
    X(piece,        10,     false, 0, 1000000,    "ns",     "of a piece of a message that is made of several") \
    X(switch_nodes, 0,      false, 0, 1000000,    "nodes",  "at a switch of the lowest level; 0: all of them") \
    X(taper,        1,      false, 1, 1000,       "to 1",   "what the nodes of such a switch send and it passes on") \
    X(buffer,       0,      false, 0, 1000000000, "bytes",  "that a port of a switch queues; 0: nothing is lost") \
    X(timeout,      200000000, false, 1, 1000000000, "ns",  "after which TCP repairs a loss that nothing else shows")

#define IRR_MACHINE_FIELD(field, preset, must, least, most, unit, text) uint64_t field;
typedef struct irr_machine { IRR_MACHINE_MAP(IRR_MACHINE_FIELD) } irr_machine_t;
#undef IRR_MACHINE_FIELD

#define IRR_MACHINE_PRESET(field, preset, must, least, most, unit, text) .field = preset,
#define IRR_MACHINE_DEFAULT ((irr_machine_t){ IRR_MACHINE_MAP(IRR_MACHINE_PRESET) })

/* A file has so many bytes at most. */
#define IRR_MACHINE_BYTES_MAX 65536

/*
 * Reads a file of lines `NAME VALUE`: integers in the units above, each constant once at most; from a # on a line is
 * comment.  IRR_ERR_IO, IRR_ERR_FORMAT: *error names the line, what stood there and what is allowed, with line 0 if it
 * is about the file as a whole, and *machine is untouched.  May block on the file system.
 */
irr_status_t irr_machine_read(const char *path, irr_machine_t *machine, irr_file_error_t *error);

/* Constant i, for help texts: its name, and what it is; NULL past the last one. */
const char *irr_machine_name(int i);
const char *irr_machine_text(int i);

#endif

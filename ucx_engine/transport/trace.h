/*
 * trace.h - a wrapper of a transport that records when each message was sent and received.
 *
 * The records are lines of JSON in a file of this process, written when the transport is freed. The first line
 * describes the process:
 *
 *     {"host": "n1", "epoch_ns": 1700000000000000000, "messages": 2, "dropped": 0}
 *
 * epoch_ns is the time of day at time 0 of the clock, and `dropped` counts messages that did not fit into memory. The
 * other lines are messages, one per line, in the order of their ends; ranks are those of the channel:
 *
 *     {"op": "send", "lane": "shm", "channel": 3, "rank": 0, "peer": 1, "exchange": 17, "kind": "data",
 *      "stage": 1, "bytes": 800, "begin_ns": 1200, "end_ns": 3400, "status": "ok"}
 *
 * The lane is the name of the transport that carries the message. A message begins when it is passed to the transport,
 * or its receive is posted; a message that never ends has no line.
 *
 * Cost: two readings of the clock and 48 bytes per message.
 */
#ifndef IRR_TRACE_H
#define IRR_TRACE_H

#include "transport/transport.h"

/*
 * Wraps inner, which the wrapper then owns: freeing the wrapper frees both. Returns IRR_ERR_NO_MEMORY; or
 * IRR_ERR_BAD_PARAM, reported to the user, if the file cannot be written. After an error inner is unchanged. May block
 * on the file system, here and in free.
 */
irr_status_t irr_trace_open(irr_transport_t *inner, const char *file, irr_transport_t **transport_p);

/*
 * Wraps a second transport, and records its messages in the file of one that is traced already. The file is written
 * when both are freed. May return IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_trace_join(irr_transport_t *inner, irr_transport_t *traced, irr_transport_t **transport_p);

#endif

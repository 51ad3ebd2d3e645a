/*
 * trace.h - a transport that wraps another one, and records when each message was sent and received.
 *
 * The records are lines of JSON in a file of this process, which is written when the transport is freed. The first line
 * describes the process:
 *
 *     {"host": "n1", "epoch_ns": 1700000000000000000, "messages": 2, "dropped": 0}
 *
 * epoch_ns is the time of day, in ns since 1970, at which the clock of the trace was 0. `messages` is the number of
 * lines that follow. `dropped` is the number of messages that were not recorded, because memory was missing or the
 * trace was full. Each other line is a message, in the order in which the messages ended. Ranks are the ranks of the
 * channel:
 *
 *     {"op": "send", "lane": "shm", "channel": 3, "rank": 0, "peer": 1, "exchange": 17, "kind": "data",
 *      "stage": 1, "bytes": 800, "begin_ns": 1200, "end_ns": 3400, "status": "ok"}
 *
 * The lane is the name of the transport that carries the message. A send begins when it is passed to the transport, and
 * a receive begins when it is posted. A message that never ends has no line.
 *
 * Cost: two readings of the clock and 48 bytes per message.
 */
#ifndef IRR_TRACE_H
#define IRR_TRACE_H

#include "transport/transport.h"

/*
 * Wraps the transport `inner`. On success the wrapper owns `inner`, and frees it. May return IRR_ERR_NO_MEMORY. If the
 * file cannot be written, reports an error to the user and returns IRR_ERR_BAD_PARAM. After an error `inner` is
 * unchanged. This function and `free` may block on the file system.
 */
irr_status_t irr_trace_open(irr_transport_t *inner, const char *file, irr_transport_t **transport_p);

/*
 * Wraps a second transport, and records its messages in the file of `traced`, a transport that irr_trace_open has
 * wrapped. The file is written when both transports are freed. May return IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_trace_join(irr_transport_t *inner, irr_transport_t *traced, irr_transport_t **transport_p);

#endif

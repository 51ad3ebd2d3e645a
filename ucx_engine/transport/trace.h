/*
 * trace.h - a transport that notes when each message was sent and received, and passes it on to another one.
 *
 * The notes are lines of JSON in a file of this process, written when the transport is freed.  The first line tells of
 * the process:
 *
 *     {"host": "n1", "epoch_ns": 1700000000000000000, "messages": 2, "dropped": 0}
 *
 * where epoch_ns is the time of day at the clock's 0, and `dropped` counts what did not fit into memory.  The others
 * are messages, in the order of their ends; ranks are those of the channel:
 *
 *     {"op": "send", "lane": "shm", "channel": 3, "rank": 0, "peer": 1, "exchange": 17, "kind": "data",
 *      "stage": 1, "bytes": 800, "begin_ns": 1200, "end_ns": 3400, "status": "ok"}
 *
 * each on one line.  The lane is the name of the transport that carries the message.  A message begins when it is
 * handed over, or its receive is posted; what never ends has no line.
 *
 * Cost: two looks at the clock and 48 bytes a message.
 */
#ifndef IRR_TRACE_H
#define IRR_TRACE_H

#include "transport/transport.h"

/*
 * Owns inner from now on: freeing the one frees both.  IRR_ERR_NO_MEMORY, or IRR_ERR_BAD_PARAM, told to the user, if
 * the file cannot be written; then inner is as it was.  May block on the file system, here and in free.
 */
irr_status_t irr_trace_open(irr_transport_t *inner, const char *file, irr_transport_t **transport_p);

/*
 * Adds a second transport to the notes of one that is traced; the file is written when both are freed.
 * IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_trace_join(irr_transport_t *inner, irr_transport_t *traced, irr_transport_t **transport_p);

#endif

/*
 * failure.h - if a communicator fails on one rank, it fails on all its members.
 *
 * A communicator fails if a message could not be sent or received, if an all-reduce by which the members agree failed,
 * or if a rank waited longer than the timeout. The rank that detects the failure sends each member an empty message,
 * the notice. On each member the started exchanges and all later exchanges end in an error. Ranks that wait in an
 * exchange check for a notice from time to time.
 *
 * The first message to a member takes memory, so a rank without memory cannot notify all members. Each rank that
 * receives a notice therefore passes it on to the next rank, to which the setup has already made a connection.
 *
 * If a rank receives a notice during an exchange, it ends the exchange only when the transport has been idle for a
 * while. Until then the transport may still send a long message from the user's buffer.
 *
 * The engine cancels the receives of the running exchanges, so that nothing is written to the buffers of a call that is
 * over. It cannot cancel all sends: the memory of the communicator and of its messages stays allocated until the
 * transport is freed.
 */
#ifndef IRR_FAILURE_H
#define IRR_FAILURE_H

#include "transport/transport.h"

/* The notices that this rank sends: one at a time, to the ranks after this rank in their order. */
typedef struct irr_notice {
    irr_request_t request;
    bool          busy;     /* a notice is being sent */
    bool          listed;   /* the communicator is in engine->notifying */
    int           told, members;   /* number of notices sent, and number of ranks to notify */
} irr_notice_t;

/*
 * Fails a communicator, and starts to notify the other members. The exchanges of this rank end with `status`. reason:
 * the text after "rank R of a communicator of N ranks" in the error message; NULL: no error message. Does nothing if
 * the communicator has failed before. The engine is locked here and in the functions below.
 */
void irr_comm_fail(irr_comm_t *comm, irr_status_t status, const char *reason);

/* Writes the name of a rank for the user: its number, and the number of its process in the job. */
void irr_comm_name_rank(const irr_comm_t *comm, int rank, char *text, size_t size);

/* Continues to send notices. Returns true when all were sent. */
bool irr_comm_notify(irr_comm_t *comm);

/* Checks for a notice while no exchange is running; a notice fails the communicator. Called from time to time. */
void irr_comm_listen(irr_comm_t *comm);

/*
 * Called before an exchange of a communicator with a timeout starts, without the lock.  Messages of an exchange that
 * the others gave up may all have arrived, so a late rank would complete it.  If this rank has started no exchange for
 * a while, the function therefore checks for a notice.  Cost: reading a clock.
 */
void irr_comm_check_start(irr_comm_t *comm);

/* Checks for a notice and for the timeout during an exchange; both fail the communicator. Called from time to time. */
void irr_comm_watch(irr_exchange_t *exchange);

/* Cancels the receives of the running exchanges, which the caller must not continue. */
void irr_comm_abandon(irr_comm_t *comm);

#endif

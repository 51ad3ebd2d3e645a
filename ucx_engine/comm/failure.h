/*
 * failure.h - a failed communicator fails on all its members.
 *
 * A communicator fails if an agreement failed, a message could not be sent or received, or a rank waited longer than
 * allowed. The rank that detects the failure sends each member an empty message, the notice. On all members the started
 * exchanges and all later exchanges end in an error. Waiting ranks check for a notice from time to time.
 *
 * The first message to a member takes memory, so a rank without memory cannot notify all members. Each rank that gets a
 * notice therefore at once passes it on to the next rank, which the setup has reached already.
 *
 * If a rank gets a notice while one of its exchanges is open, the rank ends the exchange when the transport has been
 * idle for a while. Until then a receiver may have matched a long message of this rank, and the transport reads the
 * message from the user's buffer.
 *
 * The engine cannot take back messages that the transport holds. The engine cancels the receives of the open exchanges,
 * so that nothing is written to the buffers of a call that is over. The memory of the messages and of the communicator
 * lives until the transport is freed.
 */
#ifndef IRR_FAILURE_H
#define IRR_FAILURE_H

#include "transport/transport.h"

/* The notices of a rank whose communicator failed, sent one at a time, to the next ranks in their order. */
typedef struct irr_notice {
    irr_request_t request;
    bool          busy;     /* the transport has the request */
    bool          listed;   /* the communicator is in engine->notifying */
    int           told, members;   /* numbers of notified ranks, and of ranks to be notified */
} irr_notice_t;

/*
 * Fails a communicator with a status, and notifies the other members. The open exchanges end with the same status.
 * reason: the words after "rank R of a communicator of N ranks" in the error message; NULL: no error message. The
 * engine is locked in this function and in all functions below.
 */
void irr_comm_fail(irr_comm_t *comm, irr_status_t status, const char *reason);

/* Writes the name of a rank for the user: its number, and its process in the job if known. */
void irr_comm_name_rank(const irr_comm_t *comm, int rank, char *text, size_t size);

/* Continues to send notices. Returns true when all of them were sent. */
bool irr_comm_notify(irr_comm_t *comm);

/* Checks for a notice while no exchange is open. To be called from time to time. */
void irr_comm_listen(irr_comm_t *comm);

/*
 * Checks for a notice and a timeout while an exchange is open. A notice or a timeout fails the communicator. To be
 * called from time to time.
 */
void irr_comm_watch(irr_exchange_t *exchange);

/* Cancels the receives of the open exchanges. The caller must not continue the exchanges. */
void irr_comm_abandon(irr_comm_t *comm);

#endif

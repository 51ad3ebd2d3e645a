/*
 * failure.h - a communicator that failed is failed on all its members.
 *
 * Where ranks could not agree, where one could not send or receive a message at all, or waited longer than it is
 * allowed to, they cannot go on alike.  The rank that sees it tells all members by an empty message each, the notice.
 * All exchanges that were started end in an error there and here, and so do those that follow.
 * Waiting ranks look for a notice now and then.
 *
 * A rank that reads a notice while an exchange of its own is open ends that when the transport has nothing to do for a
 * while.  A receiver may have matched a long message, which the transport then reads from the user's buffer.
 *
 * What the transport still has of open exchanges cannot be called back: their receives are canceled, so that nothing
 * is written to the buffers of a call that is over, and their memory and that of the communicator is kept until the
 * transport is gone.
 */
#ifndef IRR_FAILURE_H
#define IRR_FAILURE_H

#include "transport/transport.h"

/* The notices of a rank that saw its communicator fail: one after the other. */
typedef struct irr_notice {
    irr_request_t request;
    bool          busy;   /* the transport has it */
    int           next;   /* the rank to tell next */
} irr_notice_t;

/*
 * The engine is locked in all that follows.  Fails a communicator with a status, which is also that of its open
 * exchanges; reason is for the user, in the words after "rank R of a communicator of N ranks", or NULL.  Tells the
 * others.
 */
void irr_comm_fail(irr_comm_t *comm, irr_status_t status, const char *reason);

/* Writes the name of a rank for the user: its number, and that of its process in the job if that is known. */
void irr_comm_name_rank(const irr_comm_t *comm, int rank, char *text, size_t size);

/* Goes on telling; true when all were told. */
bool irr_comm_tell(irr_comm_t *comm);

/* To be called now and then while none is open: has one of the others failed the communicator? */
void irr_comm_listen(irr_comm_t *comm);

/* The same while an exchange of it is open: or has that been for too long?  Then the communicator fails. */
void irr_comm_watch(irr_exchange_t *exchange);

/* The exchanges that are open will not be gone on with. */
void irr_comm_abandon(irr_comm_t *comm);

#endif

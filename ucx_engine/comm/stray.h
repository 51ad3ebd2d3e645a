/*
 * stray.h - messages that nobody asks for: found, thrown away, and told.
 *
 * A rank that sends to one whose block for it is empty is wrong, and the message finds no receive.  It must not find
 * the one of a later exchange with the same tag, nor of another communicator with the same id, and its sender must
 * not wait for ever.  So a rank looks among the messages that came unexpected for those of exchanges that are over
 * here: all messages of theirs that were asked for have been received, so nobody will ask for these.
 *
 *   - At the end of an exchange in which somebody might send what nobody asked for, and of the one after.  Messages
 *     of one sender stay in order, so the first exchange that hears from it again finds the stray one at the latest.
 *     That exchange, or the next one on the communicator, ends in IRR_ERR_TRUNCATE.
 *   - During such an exchange and after it now and then, while nothing happens: the sender of a long message waits
 *     until it is received, also where this rank has left the exchange, or freed the communicator.
 *   - Before an id is proposed for another communicator.
 *
 * Several users may share a communicator, one after the other (irr_comm_use).  The first exchange of a user throws away
 * what came for the users before, and does not tell that.
 *
 * The sequence of tags wraps.  What is over, and what is yet to come, can be told apart as long as no rank is ahead of
 * another one by half of all sequence numbers: so all ranks meet, in an agreement, before the first exchange of each
 * half, which is every 120 exchanges.  In one half all of the other half is over.  What has been under way for so long,
 * from a sender that was not heard from since, would be taken for the message of an exchange, and the latter be told as
 * stray.
 *
 * Strays are looked for among DATA messages of communicators whose route is direct, or which send long messages
 * directly: on a grid each message is asked for.
 *
 * Cost: a look discards as often as the number of exchanges has ones in binary, each a walk over the messages that
 * are unexpected; none where nothing could come.
 */
#ifndef IRR_STRAY_H
#define IRR_STRAY_H

#include "comm/ids.h"
#include "exec/tag.h"

#define IRR_STRAYS_FREED 8   /* ids whose late messages are looked for, the latest ones freed */

struct irr_engine;

/* Zeroed is empty.  Of an engine, which is locked in all that follows. */
typedef struct irr_strays {
    uint32_t    freed[IRR_STRAYS_FREED];   /* an id + 1; 0: none */
    unsigned    freed_next;
    irr_comm_t *turn;                      /* the communicator to look at next; NULL: the ids that were freed */
} irr_strays_t;

/* An exchange is over, and not open any more: is there, or was there, a stray message that was not told yet? */
bool irr_strays_end(irr_exchange_t *exchange);

/* Looks at one communicator, or at the ids that were freed: to be called when nothing happens. */
void irr_strays_look(struct irr_engine *engine);

/* Throws away all messages of an id that is about to be taken.  False if there may be more than that now. */
bool irr_strays_clear(struct irr_engine *engine, uint32_t id);

/* An id is free from now on, or taken. */
void irr_strays_free_id(irr_strays_t *strays, uint32_t id);
void irr_strays_take_id(irr_strays_t *strays, uint32_t id);

/* An exchange takes less sequence numbers than this. */
#define IRR_STRAYS_MARGIN 8

/* Must the ranks meet before the exchange that begins with a sequence number?  The first one behind the meeting. */
static inline bool irr_strays_meet(uint32_t sequence)
{
    return sequence % IRR_TAG_HALF >= IRR_TAG_HALF - IRR_STRAYS_MARGIN;
}

static inline uint32_t irr_strays_met(uint32_t sequence)
{
    return (sequence / IRR_TAG_HALF + 1) * IRR_TAG_HALF;
}

#endif

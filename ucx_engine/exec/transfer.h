/*
 * transfer.h - one message of a plan on its way: the few messages of the transport that it is made of.
 *
 *     begin; send or receive for each message, with parts that stay where they are; end
 *
 * The transfer is over when the last of them is, well or not; `over` is called then, once, from within end or from
 * within the transport's progress.
 */
#ifndef IRR_TRANSFER_H
#define IRR_TRANSFER_H

#include "transport/transport.h"

typedef struct irr_transfer irr_transfer_t;

struct irr_transfer {
    void          (*over)(irr_transfer_t *transfer);
    irr_channel_t   *channel;
    irr_counters_t  *counters;
    size_t           pending;
    irr_status_t     status;    /* the first error */
    size_t           received;  /* bytes, of all its messages */
    bool             describes; /* what it receives is no user data; false unless set after begin */
    bool             refused;   /* a message was not sent, or not received, so that its other end waits for it */
};

/* What the transport holds of one message. */
typedef struct irr_part {
    irr_request_t   request;
    irr_transfer_t *transfer;
    bool            receives, gathers;
    bool            wants;      /* a receive of some bytes */
} irr_part_t;

static inline void irr_transfer_begin(irr_transfer_t *transfer, irr_channel_t *channel, irr_counters_t *counters,
                                      void (*over)(irr_transfer_t *transfer))
{
    *transfer = (irr_transfer_t){
        .over = over, .channel = channel, .counters = counters, .pending = 1, .status = IRR_OK
    };
}

static inline void irr_transfer_end(irr_transfer_t *transfer)
{
    if (--transfer->pending == 0) {
        transfer->over(transfer);
    }
}

/* header: so many bytes of the message are description, not user data. */
void irr_transfer_send(irr_transfer_t *transfer, irr_part_t *part, int to, uint16_t tag, const irr_iov_t *iov,
                       size_t count, irr_form_t form, size_t header);

/*
 * A rank that failed has nothing to send and sends an empty message; a receive of some bytes ends in IRR_ERR_PEER.  One
 * that the transport refuses is asked for once more, because its sender must not wait; it has failed all the same.  A
 * second time the transfer is refused.
 */
void irr_transfer_receive(irr_transfer_t *transfer, irr_part_t *part, int from, uint16_t tag, const irr_iov_t *iov,
                          size_t count, irr_form_t form);

#endif

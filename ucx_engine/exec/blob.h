/*
 * blob.h - a message whose length its receiver does not know.
 *
 *     first   a word, the length and a mark; and the first IRR_BLOB_FIRST bytes
 *     rest    in a message of its own, if there may be more
 *
 * So what is short takes one message, and each receive is posted with an exact tag and sender, for a length that the
 * receiver knows.  Whoever lacks the memory, or will not take so much, throws the rest away, and what could not be
 * received is asked for once more: its sender must not wait.
 *
 * The mark is for what there is to say without content: 0, or why there is none.
 *
 * Cost: one message, or two one behind the other; the first bytes are copied.
 */
#ifndef IRR_BLOB_H
#define IRR_BLOB_H

#include "exec/bytes.h"
#include "exec/env.h"
#include "exec/transfer.h"

#define IRR_BLOB_FIRST 248   /* bytes beside the word: all in one packet of any network */
#define IRR_BLOB_MARKS 8

typedef enum irr_blob_state {
    IRR_BLOB_OVER,
    IRR_BLOB_SENDS,
    IRR_BLOB_HEARS,   /* the first message */
    IRR_BLOB_TAKES    /* the rest */
} irr_blob_state_t;

/* Owns nothing, so it needs no fini; may not be moved while it runs.  Zeroed is one that is over. */
typedef struct irr_blob {
    irr_transfer_t   transfer;   /* of the message that is on its way; of both when they are sent */
    irr_part_t       parts[2];
    irr_iov_t        iov[2];
    unsigned char    first[sizeof(uint64_t) + IRR_BLOB_FIRST];
    irr_exec_env_t   env;
    int              stage, peer;
    irr_blob_state_t state;
    bool             busy;      /* a message is on its way */
    irr_status_t     status;    /* the first failure */
    irr_bytes_t     *into;      /* to which what comes is appended; NULL: it sends */
    size_t           limit;     /* of all that is there then */
    size_t           length;    /* of the content */
    unsigned         mark;
} irr_blob_t;

/*
 * Starts to send content, borrowed until it is over, or a mark other than 0 and none.  Messages are of kinds
 * IRR_TAG_HEADER and IRR_TAG_PART, and the stage; of env channel, tag_base and counters are used.  Two
 * blobs between two ranks in an exchange must differ in stage or direction.
 */
void irr_blob_send(irr_blob_t *blob, const irr_exec_env_t *env, int stage, int to, const void *content, size_t length,
                   unsigned mark);

/* Starts to receive one: its content goes behind what is in `into`, which may have so many bytes in all then. */
void irr_blob_receive(irr_blob_t *blob, const irr_exec_env_t *env, int stage, int from, irr_bytes_t *into,
                      size_t limit);

/*
 * Goes on after progress of the transport.  IRR_IN_PROGRESS, or how it ended: IRR_OK, and blob->mark says whether
 * content has come; IRR_ERR_NO_MEMORY; IRR_ERR_NOT_SUPPORTED: more than the limit; IRR_ERR_PROTOCOL; or the error of
 * the transport.  On failure `into` has what it had.
 */
irr_status_t irr_blob_progress(irr_blob_t *blob);

#endif

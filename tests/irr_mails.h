/*
 * irr_mails.h - ranks that have mail for other nodes (board/mail.h): N ranks in one process, each with a segment of its
 * own, mapped by the others.  The messages of the servers are carried here, and what goes directly.
 */
#ifndef IRR_MAILS_H
#define IRR_MAILS_H

#include "irr_job.h"

#include "board/mail.h"

#include <pthread.h>

#define RANKS_MAX 12
#define SEGMENT   ((size_t)1 << 21)
#define LIMIT     200
#define JOBS      8
#define FLIGHT    4   /* messages under way between two ranks, at most */

/* From a server to another one, as they were sent. */
typedef struct irr_mails_line {
    pthread_mutex_t lock;
    unsigned char  *bytes[FLIGHT];
    size_t          length[FLIGHT];
    unsigned        sent, received;
} irr_mails_line_t;

typedef struct irr_mails_rank {
    irr_segment_t       segment;
    irr_view_t          view;
    irr_board_t         board;
    irr_mail_t          mail;
    irr_board_card_t    card;
    uint64_t            place;
    irr_board_message_t sent[2][RANKS_MAX], received[2][RANKS_MAX];   /* by member, and by rank elsewhere */
    int                 exchanges;     /* that are over */
    bool                open, cells, serves;
    bool                lacks;
    uint64_t            described;     /* bytes of lengths that it sent, */
    int                 messages;      /* and messages */
    irr_status_t        result;
} irr_mails_rank_t;

/* There is one at a time. */
typedef struct irr_mails {
    int               ranks, jobs;
    uint64_t          state;
    irr_nodes_t       nodes;
    irr_mails_rank_t *rank;
    irr_mails_line_t *lines;       /* by sender and receiver */
    irr_job_t        *job[JOBS];
} irr_mails_t;

extern irr_mails_t irr_mails;

/* So many ranks on nodes; and its end, with all jobs. */
void irr_mails_begin(int ranks, int layout);
void irr_mails_end(void);

/* Makes the boards of all members known to a rank; again, where views changed. */
void irr_mails_join(int rank);

/* What is exchanged, in turn, each twice; of any kinds where it is IRR_JOB_KINDS. */
void irr_mails_draw(int jobs, irr_job_kind_t kind);
void irr_mails_drop(void);
irr_job_t *irr_mails_job(const irr_mails_rank_t *rank);

/* An exchange of a rank: go_on says true when it is over, whose result is in the rank. */
void irr_mails_start(int rank);
bool irr_mails_go_on(int rank);

/* All ranks have so many, in turns at random; all must be right.  Or one, which may be wrong. */
void irr_mails_take_turns(int exchanges);
void irr_mails_run_once(void);

#endif

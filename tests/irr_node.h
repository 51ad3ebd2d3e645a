/*
 * irr_node.h - a node of ranks with boards in one process: each has a segment of its own, mapped by the others, and
 * exchanges what a function of the exchange and both ranks says; so every byte is checked.
 */
#ifndef IRR_NODE_H
#define IRR_NODE_H

#include "board/board.h"

#define IRR_NODE_RANKS_MAX  9
#define IRR_NODE_BLOCKS_MAX (3 * IRR_NODE_RANKS_MAX)
#define IRR_NODE_BUFFER     ((size_t)1 << 16)
#define IRR_NODE_BLOCK_MAX  2000
#define IRR_NODE_SEGMENT    ((size_t)1 << 21)
#define IRR_NODE_ID         77

typedef struct irr_node_rank {
    irr_segment_t       segment;
    irr_view_t          view;
    irr_board_t         board;
    irr_board_card_t    card;
    irr_board_message_t sent[IRR_NODE_RANKS_MAX], received[IRR_NODE_RANKS_MAX];
    irr_block_t         send[IRR_NODE_BLOCKS_MAX], recv[IRR_NODE_BLOCKS_MAX];
    irr_problem_t       problem;
    irr_neighbors_t     neighbors;
    int                 neighbors_to[IRR_NODE_RANKS_MAX], neighbors_from[IRR_NODE_RANKS_MAX];
    int                 to[IRR_NODE_RANKS_MAX], from[IRR_NODE_RANKS_MAX];
    unsigned char       input[IRR_NODE_BUFFER], output[IRR_NODE_BUFFER];
    int                 exchanges;      /* that are over */
    bool                open;
} irr_node_rank_t;

typedef struct irr_node {
    int              ranks;
    uint64_t         seed;
    size_t           length_max;
    irr_node_rank_t *rank;
} irr_node_t;

/* There is one at a time. */
extern irr_node_t irr_node;

/* Messages of up to so many bytes, of which IRR_NODE_BLOCK_MAX go over boards with so much room; do ranks lend? */
void irr_node_begin(int ranks, size_t length_max, size_t bytes_max, bool lends);
void irr_node_end(void);

/* Before the first exchange: another communicator had this id before, and so many exchanges. */
void irr_node_count_from(uint32_t number);

/* Exchanges by this number: some among all, some among neighbours, who may hear nothing of each other. */
bool irr_node_is_sparse(int exchange);

/* A rank begins its next exchange; goes on with it, true when it is over; and each has so many, in turns at random. */
void irr_node_start(int me);
bool irr_node_go_on(int me);
void irr_node_take_turns(int exchanges);

/*
 * Each has so many, in threads at the same time, and sleeps where it waits.  They read the very addresses that are
 * written, so that a sanitizer of threads sees both.
 */
void irr_node_run_threads(int exchanges);

#endif

/*
 * exchange_board.c - an exchange in which blocks between ranks of a node go over boards (board/board.h), and all else
 * directly, as do long ones where ranks cannot lend.
 *
 * The plan of the run has what goes to other nodes and comes from there; most exchanges on one node have none, and
 * start no executor.  What the boards say goes directly is appended to the plan, for this run alone: what this rank
 * sends when it begins, what it receives as it reads the others' cells.
 *
 * The ranks of a node keep step by their boards, so no message between them is ever left to a later exchange.
 */
#include "comm/exchange.h"

#include "problem/blocks.h"
#include "route/direct.h"

#include <string.h>

/* The message of a rank to itself. */
static void copy_own(irr_exchange_t *exchange)
{
    const irr_board_t *board = exchange->comm->board;
    const irr_problem_t *problem = &exchange->problem;
    const irr_board_message_t *sent = &exchange->run->sides.sent[board->me];
    const irr_board_message_t *received = &exchange->run->sides.received[board->me];
    irr_blocks_cursor_t from, to;
    irr_block_t source, target;

    if (sent->bytes > received->bytes) {
        irr_exec_keep(&exchange->boarded, IRR_ERR_TRUNCATE);
    }
    if (sent->bytes == 0 || irr_exchange_is_in_place(exchange)) {
        return;
    }
    from = irr_blocks_at((irr_blocks_t){ problem->send.list + sent->first, sent->count }, 0);
    to = irr_blocks_at((irr_blocks_t){ problem->recv.list + received->first, received->count }, 0);
    while (irr_blocks_pair(&from, &to, &source, &target)) {
        memcpy(irr_board_address(exchange->output, target.offset), irr_board_address(exchange->input, source.offset),
               target.length);
        exchange->counters.bytes_staged += target.length;
    }
}

/* ---- messages of members ---- */

static void run_plan(irr_exchange_t *exchange)
{
    irr_run_t *run = exchange->run;

    if (exchange->running == NULL) {
        exchange->running = &run->plan;
        irr_exec_start(&run->exec, &run->plan, &exchange->env);
        irr_exec_expect(&run->exec, true);
    }
}

static void grow_plan(irr_exchange_t *exchange, const irr_plan_mark_t *mark, irr_status_t status)
{
    irr_run_t *run = exchange->run;

    if (status == IRR_OK) {
        status = irr_exec_grow(&run->exec);
    }
    if (status != IRR_OK) {
        irr_plan_cut(&run->plan, mark);
        irr_comm_fail(exchange->comm, status, "has no room for the messages that do not go over its board");
    }
}

/* One that is not awaited fits nowhere, and is truncated. */
static void add_direct(irr_exchange_t *exchange, irr_step_kind_t kind, int peer, const irr_board_message_t *message)
{
    const irr_comm_t *comm = exchange->comm;
    irr_plan_t *plan = &exchange->run->plan;
    const bool sends = kind == IRR_STEP_SEND;
    const irr_block_t *list = sends ? exchange->problem.send.list : exchange->problem.recv.list;
    const irr_group_t group = { comm->ranks, comm->rank };
    const int number = (sends ? irr_order_rotate.send_step : irr_order_rotate.recv_step)(group, peer);
    const irr_plan_mark_t mark = irr_plan_mark(plan);

    run_plan(exchange);
    grow_plan(exchange, &mark, irr_direct_add(
        kind, peer, number, (irr_blocks_t){ list + message->first, message->count }, 0, SIZE_MAX, plan));
}

/* ---- the exchange ---- */

static void read_boards(irr_exchange_t *exchange)
{
    irr_board_t *board = exchange->comm->board;
    const irr_status_t status = irr_board_progress(board);

    for (int i = 0; i < board->nout; i++) {
        add_direct(exchange, IRR_STEP_SEND, board->members[board->out[i]].rank,
                                &exchange->run->sides.sent[board->out[i]]);
    }
    for (int i = 0; i < board->nin; i++) {
        add_direct(exchange, IRR_STEP_RECV, board->members[board->in[i]].rank,
                                &exchange->run->sides.received[board->in[i]]);
    }
    board->nout = board->nin = 0;
    if (status != IRR_IN_PROGRESS) {
        irr_exec_keep(&exchange->boarded, status);
    }
}

/* True when there is nothing to be read any more. */
static bool read_all(irr_exchange_t *exchange)
{
    irr_board_t *board = exchange->comm->board;
    bool over;

    if (irr_board_waits(board)) {
        read_boards(exchange);
    }
    over = board->left == 0 && board->nlent == 0;
    if (over && exchange->running != NULL) {
        irr_exec_expect(&exchange->run->exec, false);
    }
    return over;
}

void irr_exchange_start_boards(irr_exchange_t *exchange)
{
    irr_board_t *board = exchange->comm->board;
    irr_run_t *run = exchange->run;
    const irr_board_buffers_t buffers = {
        exchange->input, exchange->output, 0, irr_exchange_is_in_place(exchange) };

    exchange->boarded = IRR_OK;
    exchange->env.sourced = true;
    exchange->running = NULL;
    irr_plan_cut(&run->plan, &run->mark);
    copy_own(exchange);
    irr_board_start(board, &exchange->problem, &run->partners, run->sides, buffers);
    if (run->plan.nsteps > 0) {
        run_plan(exchange);
    }
    (void)read_all(exchange);
}

irr_status_t irr_exchange_progress_boards(irr_exchange_t *exchange)
{
    const bool over = read_all(exchange);
    irr_status_t status = IRR_OK;

    if (exchange->running != NULL) {
        status = irr_exec_progress(&exchange->run->exec);
    }
    if (!over || status == IRR_IN_PROGRESS) {
        return IRR_IN_PROGRESS;
    }
    return exchange->boarded != IRR_OK ? exchange->boarded : status;
}

/* To members whose messages are too long for the board. */
void irr_exchange_open_endpoints_boards(irr_exchange_t *exchange)
{
    irr_comm_t *comm = exchange->comm;
    const irr_board_t *board = comm->board;

    for (int i = 0; i < board->count; i++) {
        if (!board->lends && i != board->me && exchange->run->sides.sent[i].bytes > board->block_max) {
            (void)irr_channel_reach(comm->channel, board->members[i].rank);   /* if not, that run fails */
        }
    }
}

int irr_exchange_awaited_boards(const irr_exchange_t *exchange)
{
    const irr_board_t *board = exchange->comm->board;

    if ((board->left & IRR_BOARD_WRITE) != 0) {
        const int half = (int)(board->number & 1);

        return board->members[board->readers[half][board->nreaders[half] - 1]].rank;
    }
    if (board->npending > 0) {
        return board->members[board->pending[0]].rank;
    }
    if (board->nlent > 0) {
        return board->members[board->lent[0]].rank;
    }
    return exchange->running != NULL ? irr_exec_awaited(&exchange->run->exec) : -1;
}

/* One that is given up leaves its communicator failed, so its board is not written again. */
void irr_exchange_end_boards(irr_exchange_t *exchange)
{
    irr_board_t *board = exchange->comm->board;

    if (!irr_board_waits(board)) {
        irr_board_end(board);
    }
}

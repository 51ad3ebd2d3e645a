/*
 * boards.c - see boards.h.
 */
#include "comm/agree.h"

#include "core/alloc.h"
#include "core/log.h"

/* Address space for the boards of all communicators; memory is taken as it is needed. */
#define SEGMENT_BYTES ((size_t)1 << 28)

/* ---- segments ---- */

static irr_boards_view_t *find_view(const irr_boards_t *boards, uint64_t name)
{
    irr_boards_view_t *view = boards->views;

    while (view != NULL && view->name != name) {
        view = view->next;
    }
    return view;
}

static irr_status_t open_view(irr_boards_t *boards, uint64_t name, const irr_segment_card_t *card,
                              const irr_view_t **view_p)
{
    irr_boards_view_t *view = find_view(boards, name);
    irr_status_t status;

    if (view == NULL) {
        view = irr_alloc_zero(1, sizeof(*view));
        if (view == NULL) {
            return IRR_ERR_NO_MEMORY;
        }
        status = irr_view_open(&view->view, card);
        if (status != IRR_OK) {
            irr_free(view);
            return status;
        }
        view->name = name;
        view->next = boards->views;
        boards->views = view;
    }
    *view_p = &view->view;
    return IRR_OK;
}

/* ---- boards that were freed ---- */

static bool is_read(const irr_board_t *board)
{
    if (board->given_up) {
        return false;
    }
    for (int i = 0; i < board->count; i++) {
        if (!irr_board_is_read(board, i)) {
            return false;
        }
    }
    return true;
}

static void destroy(irr_board_t *board)
{
    irr_board_fini(board);
    irr_free(board);
}

/* Gives back what all have read. */
static void sweep(irr_boards_t *boards)
{
    irr_board_t **link = &boards->freed;

    while (*link != NULL) {
        irr_board_t *board = *link;

        if (is_read(board)) {
            *link = board->next;
            destroy(board);
        } else {
            link = &board->next;
        }
    }
}

void irr_boards_note(irr_comm_t *comm)
{
    irr_boards_t *boards = &comm->engine->boards;
    irr_board_t *board = comm->board;

    if (board != NULL) {
        boards->waiting -= comm->waits;
        comm->waits = irr_board_waits(board);
        boards->waiting += comm->waits;
        boards->news += board->news;
        board->news = 0;
    }
}

void irr_boards_stop(irr_comm_t *comm)
{
    if (comm->board != NULL) {
        irr_board_stop(comm->board);
        irr_boards_note(comm);
    }
}

bool irr_boards_name(const irr_comm_t *comm, int rank, uint64_t *name)
{
    const irr_board_t *board = comm->board;
    const irr_boards_view_t *view = comm->engine->boards.views;
    int member = 0;

    while (board != NULL && member < board->count && board->members[member].rank != rank) {
        member++;
    }
    if (board == NULL || member == board->count) {
        return false;
    }
    while (view != NULL && &view->view != board->members[member].view) {
        view = view->next;
    }
    *name = view != NULL ? view->name : 0;
    return view != NULL;
}

void irr_boards_leave(irr_comm_t *comm)
{
    irr_boards_t *boards = &comm->engine->boards;

    if (comm->board != NULL) {
        boards->waiting -= comm->waits;
        comm->board->next = boards->freed;
        boards->freed = comm->board;
        comm->board = NULL;
        sweep(boards);
    }
}

void irr_boards_fini(irr_boards_t *boards)
{
    while (boards->freed != NULL) {
        irr_board_t *board = boards->freed;

        boards->freed = board->next;
        destroy(board);
    }
    while (boards->views != NULL) {
        irr_boards_view_t *view = boards->views;

        boards->views = view->next;
        irr_view_close(&view->view);
        irr_free(view);
    }
    irr_segment_fini(&boards->segment);
}

/* ---- of a communicator ---- */

/* Nobody reads a board that not all have joined.  The engine is locked. */
static void unmake(irr_comm_t *comm)
{
    if (comm->board != NULL) {
        destroy(comm->board);
        comm->board = NULL;
    }
}

/* Local: the own board. */
static irr_status_t make(irr_comm_t *comm, irr_boards_entry_t *own)
{
    irr_boards_t *boards = &comm->engine->boards;
    irr_nodes_t *nodes = &comm->nodes;
    irr_status_t status = irr_nodes_init(nodes, comm->ranks, comm->labels);

    if (status != IRR_OK || nodes->largest == 1) {
        return status;
    }
    sweep(boards);
    if (boards->segment.bytes == NULL) {
        status = irr_segment_init(&boards->segment, IRR_BOARD_TABLE, SEGMENT_BYTES);
    }
    if (status != IRR_OK) {
        return status;
    }
    comm->board = irr_alloc_zero(1, sizeof(*comm->board));
    if (comm->board == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    status = irr_board_init(comm->board, &boards->segment, comm->id,
                            irr_nodes_size(nodes, nodes->node[comm->rank]), nodes->place[comm->rank], &own->card);
    if (status == IRR_OK) {
        irr_lend_offer(&boards->word, &own->lend);
        comm->board->block_max = irr_board_block(comm->settings.board_block, comm->engine->config.crowded);
        comm->board->short_max = irr_board_block(comm->settings.board_block, true);
        comm->board->bytes_max = comm->settings.board_bytes;
    }
    if (status != IRR_OK) {
        unmake(comm);
    }
    return status;
}

/* Local: maps what the others of the node have, and tries whether their memory can be read. */
static irr_status_t join_all(irr_comm_t *comm, const irr_oob_t *oob, const irr_boards_entry_t *entries, bool *lends)
{
    irr_boards_t *boards = &comm->engine->boards;
    const irr_nodes_t *nodes = &comm->nodes;
    const int *members = nodes->members + nodes->first[nodes->node[comm->rank]];
    irr_status_t status = IRR_OK;

    for (int i = 0; comm->board != NULL && i < comm->board->count && status == IRR_OK; i++) {
        const irr_boards_entry_t *entry = &entries[members[i]];
        const irr_view_t *view = NULL;

        status = entry->good == 1 ? IRR_OK : IRR_ERR_NOT_SUPPORTED;
        if (status == IRR_OK) {
            status = open_view(boards, oob->process_name(oob->context, members[i]), &entry->card.segment, &view);
        }
        if (status == IRR_OK) {
            status = irr_board_join(comm->board, i, members[i], view, &entry->card);
        }
        *lends = *lends && status == IRR_OK && irr_lend_works(&entry->lend);
    }
    return status;
}

void irr_boards_unmake(irr_comm_t *comm)
{
    irr_lock_acquire(&comm->engine->lock);
    unmake(comm);
    irr_lock_release(&comm->engine->lock);
}

/* A board that not all can have, nobody has. */
static irr_status_t joined(irr_opening_t *opening)
{
    irr_comm_t *comm = opening->comm;

    opening->joins = false;
    if (opening->verdict != IRR_OK) {
        comm->engine->warned = comm->engine->warned || opening->reason != NULL;
        irr_boards_unmake(comm);
    } else if (comm->board != NULL) {
        comm->board->lends = opening->lowest == 0;
    }
    opening->next = opening->then;
    return IRR_OK;
}

static irr_status_t entries_came(irr_opening_t *opening)
{
    const irr_comm_params_t *params = &opening->params;
    irr_comm_t *comm = opening->comm;
    irr_status_t status = opening->made;
    bool lends = true;

    if (status == IRR_OK) {
        irr_lock_acquire(&comm->engine->lock);
        status = join_all(comm, params->oob, opening->entries, &lends);
        irr_lock_release(&comm->engine->lock);
    }
    return irr_agree_all(opening, status,
        params->only_shared ? NULL :
        "the ranks of a node cannot share memory, and exchange without boards: a rank has none to show "
        "(memfd_create), or cannot map that of another one (/proc/PID/fd)", lends, joined);
}

irr_status_t irr_boards_join(irr_opening_t *opening, irr_step_fn next)
{
    irr_comm_t *comm = opening->comm;
    irr_boards_entry_t *own = &opening->entries[comm->ranks];

    irr_lock_acquire(&comm->engine->lock);
    *own = (irr_boards_entry_t){ .good = 0 };
    opening->made = make(comm, own);
    own->good = opening->made == IRR_OK;
    irr_lock_release(&comm->engine->lock);
    opening->joins = true;
    opening->then = next;
    return irr_opening_gather(opening, own, opening->entries, sizeof(*own), entries_came);
}

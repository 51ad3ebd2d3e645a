/*
 * exchange_node.c - an exchange in which node speaks to node (board/mail.h): what the servers send and receive.
 *
 * When the cells of all members have come, so have their rows and blocks for other nodes: a server appends to the plan
 * a receive and a send for each node that it serves, for this run alone.  When a message has come it tells the members.
 * Who then learns that a rank elsewhere sends directly what was not awaited so appends a receive for it, too.
 *
 * What cannot be told apart any more, because a message was lost or makes no sense, or is awaited and does not come,
 * fails the communicator: so nobody waits for it.
 */
#include "comm/exchange.h"

/* Of messages between nodes; direct ones have 1. */
#define STAGE 2

static irr_status_t add_receive(irr_exchange_t *exchange, irr_mail_served_t *served)
{
    irr_plan_t *plan = &exchange->run->plan;
    const irr_piece_t room = irr_mail_room(irr_comm_mail(exchange->comm), served);

    served->step = plan->nsteps;
    return irr_plan_add(plan, &(irr_step_params_t){
        .kind = IRR_STEP_RECV, .peer = served->peer, .stage = STAGE, .number = 1, .pieces = &room, .npieces = 1 });
}

static irr_status_t add_send(irr_exchange_t *exchange, irr_mail_served_t *served)
{
    irr_mail_t *mail = irr_comm_mail(exchange->comm);
    size_t described;
    const size_t count = irr_mail_send(mail, served, &described);

    return irr_plan_add(&exchange->run->plan, &(irr_step_params_t){
        .kind = IRR_STEP_SEND, .peer = served->peer, .stage = STAGE, .number = 1, .pieces = mail->pieces,
        .npieces = count, .described = described, .gathered = true });
}

static void serve(irr_exchange_t *exchange)
{
    irr_mail_t *mail = irr_comm_mail(exchange->comm);
    const irr_plan_mark_t mark = irr_plan_mark(&exchange->run->plan);
    irr_status_t status = IRR_OK;

    mail->serves = true;
    if (mail->nserved == 0) {
        return;
    }
    irr_exchange_run_boards(exchange);
    for (int i = 0; i < mail->nserved && status == IRR_OK; i++) {
        status = add_receive(exchange, &mail->served[i]);
    }
    for (int i = 0; i < mail->nserved && status == IRR_OK; i++) {
        status = add_send(exchange, &mail->served[i]);
    }
    irr_exchange_grow_boards(exchange, &mark, status);
}

/* A transport that refused a receive took it later, and the message is there. */
static void take_in(irr_exchange_t *exchange, irr_mail_served_t *served)
{
    const irr_transfer_t *transfer = irr_exec_transfer(&exchange->run->exec, served->step);
    irr_status_t status = transfer->status;

    if (transfer->received > 0 && status != IRR_ERR_TRUNCATE) {
        status = irr_mail_received(irr_comm_mail(exchange->comm), served, transfer->received);
    }
    if (status != IRR_OK) {
        irr_comm_fail(exchange->comm, status, "did not get what another node sent");
    }
}

bool irr_exchange_progress_node(irr_exchange_t *exchange)
{
    irr_comm_t *comm = exchange->comm;
    irr_mail_t *mail = irr_comm_mail(comm);
    irr_status_t status;

    if (!mail->serves) {
        serve(exchange);
    }
    for (int i = 0; i < mail->nserved && mail->nopen > 0 && comm->failed == IRR_OK; i++) {
        irr_mail_served_t *served = &mail->served[i];

        if (served->open && irr_exec_state(&exchange->run->exec, served->step) == IRR_EXEC_COMPLETE) {
            take_in(exchange, served);
        }
    }
    status = irr_mail_progress(mail);
    for (int i = 0; i < mail->nin; i++) {
        irr_exchange_add_direct(exchange, IRR_STEP_RECV, mail->ranks[mail->in[i]],
                                &exchange->run->mail.received[mail->in[i]]);
    }
    mail->nin = 0;
    if (mail->lost && comm->failed == IRR_OK) {
        irr_comm_fail(comm, IRR_ERR_TRUNCATE, "awaits a long message that its sender has not");
    }
    if (status == IRR_IN_PROGRESS) {
        return false;
    }
    irr_exec_keep(&exchange->boarded, status);
    return true;
}

void irr_exchange_open_endpoints_node(irr_exchange_t *exchange)
{
    irr_comm_t *comm = exchange->comm;
    irr_transport_t *transport = comm->engine->transport;
    const irr_mail_t *mail = irr_comm_mail(comm);

    for (int i = 0; i < mail->nserved; i++) {
        (void)transport->ops->reach(transport, comm->peers[mail->served[i].peer]);   /* if not, that run fails */
    }
}

/*
 * exchange_long.c - algorithm `hybrid`: ranks forward short messages along a grid, and send long messages directly.
 *
 * The relay (exec/relay.h) moves the short messages. The executor of the exchange (exec/exec.h) moves the long ones.
 *
 * Sender and receiver each decide from the length in their own arguments whether a message is long. A rank sends its
 * long messages at once, and posts the receives of long messages when the relay is over. The reason is that a message
 * may come through the grid although its receiver expects it to be long, if the sender has less data. When the relay is
 * over, the receiver knows these messages, and posts no receives for them. Otherwise such a receive would stay posted,
 * because transports cannot cancel a single receive. If a long message arrives that its receiver expects to be short or
 * empty, no receive matches it, and it is discarded (comm/unexpected.h).
 *
 * A long message may therefore arrive before its receive is posted. It then waits in the memory of the transport if the
 * transport sent it eagerly, otherwise at its sender. A planned exchange knows after its first run that all ranks have
 * the same lengths, and then posts its receives at once (irr_relay_freeze).
 *
 * The relay and the executor each limit the number of their sends in flight. If the user has set such a limit, the rank
 * sends its long messages only after the relay, so that their sum does not exceed the limit.
 *
 * Cost: each byte of a long message is sent once; O(d) time for d messages. No allocation if an earlier exchange had as
 * many messages.
 */
#include "comm/exchange.h"

static void fail(const irr_exchange_t *exchange, irr_status_t status)
{
    irr_comm_fail(exchange->comm, status, "has no memory for the messages that are sent directly");
}

/*
 * Starts the plan of the long messages. Before, reserves memory of the executor for the whole plan, so that it is in
 * one piece. If memory is missing, fails the communicator and returns false.
 */
static bool begin(irr_exchange_t *exchange)
{
    irr_run_t *run = exchange->run;
    const irr_status_t status = irr_exec_reserve(&run->exec, irr_plan_size(&run->plan));

    if (status != IRR_OK) {
        fail(exchange, status);
        return false;
    }
    exchange->running = &run->plan;
    run->exec.env.sourced = true;   /* no message depends on another, so a failed one does not stop the others */
    irr_exec_start(&run->exec, &run->plan);
    irr_exec_expect(&run->exec, true);
    return true;
}

void irr_exchange_start_long(irr_exchange_t *exchange)
{
    const irr_exec_env_t *env = &exchange->run->exec.env;

    irr_plan_cut(&exchange->run->plan, &exchange->run->mark);
    if (env->window_messages == 0 && env->window_bytes == 0) {
        (void)begin(exchange);
    }
}

void irr_exchange_receive_long(irr_exchange_t *exchange)
{
    const irr_comm_t *comm = exchange->comm;
    irr_run_t *run = exchange->run;
    const irr_plan_mark_t mark = irr_plan_mark(&run->plan);
    irr_status_t status;

    if (exchange->running == NULL && !begin(exchange)) {
        return;
    }
    status = irr_run_add_long(run, comm, IRR_STEP_RECV, &exchange->problem, irr_relay_came(&comm->relay));
    if (status == IRR_OK) {
        status = irr_exec_grow(&run->exec);
    }
    if (status != IRR_OK) {
        irr_plan_cut(&run->plan, &mark);
        fail(exchange, status);
    }
    irr_exec_expect(&run->exec, false);
}

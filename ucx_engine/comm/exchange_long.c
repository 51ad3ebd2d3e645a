/*
 * exchange_long.c - an exchange on a grid whose long messages are sent directly, beside the relay.
 *
 * Each end of a message classifies the message as long or short by the length that this end knows. A rank sends its
 * long messages at once, and receives long messages when the relay is over. If a sender has less data than its receiver
 * expects, an expected long message may come through the grid. When the relay is over, the receiver knows these
 * messages and posts no receives for them. A receive without a message would stay posted, because transports cannot
 * cancel a single receive. A direct message that the receiver does not expect, or expects to be short, is an unexpected
 * message (comm/unexpected.h).
 *
 * A long message may therefore arrive before its receive is posted. A message that the transport sends eagerly waits in
 * the memory of the transport; any other message waits at its sender. A planned exchange knows after its first run that
 * both ends agree, and posts its receives at once (exec/relay.h).
 *
 * The relay and the executor of the run each have a window. If the user limits the window, the rank sends its long
 * messages only after the relay, so that no more messages are in flight than allowed.
 *
 * Cost: each long message travels as one message, and each byte is on the wire once; O(d) time for d messages. No
 * allocation within the room of an earlier exchange.
 */
#include "comm/exchange.h"

static void fail(const irr_exchange_t *exchange, irr_status_t status)
{
    irr_comm_fail(exchange->comm, status, "has no room for the messages that are sent directly");
}

/*
 * Starts the plan. The executor first merges the room that it took for the receives of the previous exchange. Without
 * memory for that the communicator fails, and begin returns false.
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
    run->exec.env.sourced = true;   /* lengths may differ at both ends, and no message depends on another */
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

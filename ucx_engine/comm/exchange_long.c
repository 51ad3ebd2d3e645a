/*
 * exchange_long.c - an exchange on a grid whose long messages go directly, beside the relay.
 *
 * Each end of a message takes it for long or short by the length that it knows.  What this rank sends directly goes at
 * once.  What comes directly is received when the relay is over: by then this rank knows which of the messages that it
 * takes for long have come through the grid, because their senders have less than it awaits, and it awaits nothing more
 * from these.  So no receive is left behind that nothing comes for, which no transport could take back.  The other way
 * around, what comes directly and is short here, or not awaited at all, is a stray message (comm/stray.h).
 *
 * A long message may so come before it is asked for.  Short ones of the transport wait in its memory meanwhile, others
 * with their sender.  What is planned knows after its first run that both ends agree, and asks at once (exec/relay.h).
 *
 * The relay and the executor of the run have a window each.  So where there is a window, long messages go when the
 * relay is over, too, and no more are in flight than the user allows.
 *
 * Cost: one message for each long one, each byte once on the wire; O(d) time for d messages.  No allocation, unless a
 * rank has more blocks than before.
 */
#include "comm/exchange.h"

static void begin(irr_exchange_t *exchange)
{
    irr_run_t *run = exchange->run;

    exchange->running = &run->plan;
    run->exec.env.sourced = true;   /* lengths may differ at both ends, and no message waits for another */
    irr_exec_start(&run->exec, &run->plan);
    irr_exec_expect(&run->exec, true);
}

void irr_exchange_start_long(irr_exchange_t *exchange)
{
    const irr_exec_env_t *env = &exchange->run->exec.env;

    irr_plan_cut(&exchange->run->plan, &exchange->run->mark);
    if (env->window_messages == 0 && env->window_bytes == 0) {
        begin(exchange);
    }
}

void irr_exchange_receive_long(irr_exchange_t *exchange)
{
    irr_comm_t *comm = exchange->comm;
    irr_run_t *run = exchange->run;
    const irr_plan_mark_t mark = irr_plan_mark(&run->plan);
    irr_status_t status;

    if (exchange->running == NULL) {
        begin(exchange);
    }
    status = irr_run_add_long(run, comm, IRR_STEP_RECV, &exchange->problem, irr_relay_came(&comm->relay));
    if (status == IRR_OK) {
        status = irr_exec_grow(&run->exec);
    }
    if (status != IRR_OK) {   /* there is room, so this does not happen */
        irr_plan_cut(&run->plan, &mark);
        irr_comm_fail(comm, status, "has no room for the messages that come directly");
    }
    irr_exec_expect(&run->exec, false);
}

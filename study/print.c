/*
 * print.c - a plan as text, one line for each step, for people and for comparison with a golden file.
 *
 *     plan rank 1 of 4, 1 stage, 7 steps, 0 scratch bytes
 *     stage 1 step 1  recv from 0      8 bytes  output[0,8)
 *     stage 1 step 1  send to   2     16 bytes  input[8,24)  after 0 3
 *     stage 1 step 0  signal    0  after 0
 */
#include "study/print.h"

static const char *const buffer_names[] = { "input", "output", "scratch" };

static void print_piece(const irr_piece_t *piece, FILE *stream)
{
    fprintf(stream, "%s[%td,%td)", buffer_names[piece->buffer], piece->offset,
            piece->offset + (ptrdiff_t)piece->length);
}

static void print_message(const irr_plan_t *plan, const irr_step_t *step, FILE *stream)
{
    fprintf(stream, "%-5d %10zu bytes ", step->peer, step->bytes);
    for (size_t i = 0; i < step->pieces; i++) {
        fputs(irr_step_is_local(step->kind) && i == 1 ? " -> " : " ", stream);
        print_piece(&plan->pieces[step->first_piece + i], stream);
    }
}

static void print_step(const irr_plan_t *plan, const irr_step_t *step, FILE *stream)
{
    static const char *const verbs[] = { "send to  ", "recv from", "copy on  ", "signal   ", "wait     ", "reduce on" };

    fprintf(stream, "stage %d step %-4d %s ", step->stage, step->number, verbs[step->kind]);
    if (step->kind == IRR_STEP_SIGNAL || step->kind == IRR_STEP_WAIT) {
        fprintf(stream, "%d", step->peer);
    } else {
        print_message(plan, step, stream);
    }
    for (size_t i = 0; i < step->deps; i++) {
        fprintf(stream, "%s%zu", i == 0 ? "  after " : " ", plan->deps[step->first_dep + i]);
    }
    fputc('\n', stream);
}

irr_status_t irr_plan_print(const irr_plan_t *plan, FILE *stream)
{
    fprintf(stream, "plan rank %d of %d, %d stage%s, %zu step%s, %zu scratch bytes\n", plan->rank, plan->ranks,
            plan->stages, plan->stages == 1 ? "" : "s", plan->nsteps, plan->nsteps == 1 ? "" : "s",
            plan->scratch_bytes);
    for (size_t i = 0; i < plan->nsteps; i++) {
        print_step(plan, &plan->steps[i], stream);
    }
    return ferror(stream) ? IRR_ERR_IO : IRR_OK;
}

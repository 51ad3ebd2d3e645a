/*
 * calm.h - which exchanges may go without a look for their schedule.
 *
 * Where no order of messages is worth its signals, as with most short ones, they go best by the direct plan, which a
 * rank makes of its own counts and which is right whatever the others send.  Then a look costs more than it brings.  So
 * when the last IRR_CALM_LOOKS looks have found one schedule that is best left alone, the next IRR_CALM_SKIPS exchanges
 * go without; one look then tells whether this goes on, or the counts are others now and are worth another schedule.
 *
 * The same goes for counts that are new each time, as those of particles that move: a schedule that is computed for one
 * exchange costs more than it brings, and on many ranks seconds.  When the last IRR_CALM_LOOKS looks have all found
 * counts that nobody knew, exchanges go without, too; each further look that finds new ones doubles how many, up to
 * IRR_CALM_SKIPS_MAX.
 *
 * What is told here must be agreed: which schedule a look has found, and that it is left alone, never the rank's own
 * counts.  So all ranks leave out the same looks.
 *
 * Pure.  Cost: O(1); a change of counts is learnt up to IRR_CALM_SKIPS exchanges later, and that they stay the same now
 * up to IRR_CALM_SKIPS_MAX exchanges later.
 */
#ifndef IRR_CALM_H
#define IRR_CALM_H

#include <stdbool.h>
#include <stdint.h>

#define IRR_CALM_LOOKS 4
#define IRR_CALM_SKIPS 15
#define IRR_CALM_SKIPS_MAX 255

/* In place of a serial: counts that were new. */
#define IRR_CALM_NEW UINT64_MAX

typedef struct irr_calm {
    uint64_t serial;   /* of the schedule that the latest looks have found; 0: none */
    unsigned looks;    /* one after the other that have found it, counted up to IRR_CALM_LOOKS */
    unsigned next;     /* skips after the next look that finds it */
    unsigned skips;    /* exchanges from now on that go without a look */
} irr_calm_t;

void irr_calm_init(irr_calm_t *calm);

/* A look has found a schedule that is best left alone, by its serial, which is not 0; or IRR_CALM_NEW. */
void irr_calm_hit(irr_calm_t *calm, uint64_t serial);

/* A look has found anything else: a schedule that is used or tried, or that there is none. */
void irr_calm_miss(irr_calm_t *calm);

/* An exchange begins.  True: without a look, and one of the skips is used. */
bool irr_calm_skip(irr_calm_t *calm);

#endif

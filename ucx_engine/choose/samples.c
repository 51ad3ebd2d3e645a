/* samples.c - the speedup of a strategy, with bounds, from samples of times; see samples.h. */
#include "choose/samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void irr_samples_add(irr_samples_t *samples, double base_ns, double own_ns)
{
    if (samples->count < IRR_SAMPLES_MAX && base_ns > 0 && own_ns > 0) {
        samples->logs[samples->count++] = (float)log(base_ns / own_ns);
        samples->base_sum += base_ns;
        samples->base_squares += base_ns * base_ns;
        samples->own_sum += own_ns;
        samples->own_squares += own_ns * own_ns;
    }
}

/* Returns the variance of the mean of `count` times, divided by the square of the mean. */
static double variance(double sum, double squares, int count)
{
    return fmax(0, squares * count / (sum * sum) - 1) / count;
}

static irr_speedup_t by_means(const irr_samples_t *samples)
{
    const double is = samples->base_sum / samples->own_sum;
    const double doubt = exp(2 * sqrt(variance(samples->base_sum, samples->base_squares, samples->count) +
                                      variance(samples->own_sum, samples->own_squares, samples->count)));

    return (irr_speedup_t){ is, is / doubt, is * doubt };
}

static int ascending(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;

    return (x > y) - (x < y);
}

static irr_speedup_t by_median(const irr_samples_t *samples)
{
    const int count = samples->count;
    const int outside = count < 4 ? 0 : (int)(count / 2.0 - sqrt(count));   /* samples outside each bound */
    float logs[IRR_SAMPLES_MAX];

    memcpy(logs, samples->logs, sizeof(logs));
    qsort(logs, (size_t)count, sizeof(logs[0]), ascending);
    return (irr_speedup_t){
        exp((logs[(count - 1) / 2] + logs[count / 2]) / 2.0), exp(logs[outside]), exp(logs[count - 1 - outside])
    };
}

irr_speedup_t irr_samples_speedup(const irr_samples_t *samples, bool means)
{
    return means ? by_means(samples) : by_median(samples);
}

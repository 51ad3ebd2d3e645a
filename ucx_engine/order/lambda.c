/*
 * lambda.c - reads and applies the rules by which random-heap limits the bytes of a message in a step; see lambda.h.
 * O(m log m) for a step of m messages, O(m) if no message is split.
 */
#include "order/lambda.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define DIGITS_MAX 9
#define FACTOR_MAX 100

/*
 * Reads a decimal number and returns it in units of 1 / IRR_LAMBDA_ONE, rounded.  Returns 0 if the text is no number,
 * or if the result is above the limit.
 */
static uint32_t read_share(const char *text, uint32_t limit)
{
    uint64_t number = 0, unit = 1;
    bool fraction = false;
    int digits = 0;

    for (; isdigit((unsigned char)*text) || (*text == '.' && !fraction); text++) {
        if (*text == '.') {
            fraction = true;
            continue;
        }
        number = number * 10 + (uint64_t)(*text - '0');
        unit *= fraction ? 10 : 1;
        if (++digits > DIGITS_MAX) {
            return 0;
        }
    }
    number = (number * IRR_LAMBDA_ONE + unit / 2) / unit;
    return *text == '\0' && digits > 0 && number <= limit ? (uint32_t)number : 0;
}

static bool has_default(irr_lambda_rule_t rule)
{
    return rule == IRR_LAMBDA_INCREMENTAL || rule == IRR_LAMBDA_SEARCH;
}

irr_status_t irr_lambda_parse(const char *text, irr_lambda_t *lambda)
{
#define LAMBDA_NAME(name, text) text,
    static const char *const names[] = { IRR_LAMBDA_MAP(LAMBDA_NAME) };
#undef LAMBDA_NAME
    const size_t length = strcspn(text, ":");
    uint32_t limit = IRR_LAMBDA_ONE;
    irr_lambda_t read = IRR_LAMBDA_DEFAULT;

    if (strcasecmp(text, "one") == 0) {
        *lambda = (irr_lambda_t){ IRR_LAMBDA_FIXED, IRR_LAMBDA_ONE };
        return IRR_OK;
    }
    for (read.rule = 0; read.rule < IRR_LAMBDA_RULES; read.rule++) {
        if (strlen(names[read.rule]) == length && strncasecmp(text, names[read.rule], length) == 0) {
            break;
        }
    }
    if (read.rule == IRR_LAMBDA_RULES || (text[length] == '\0' && !has_default(read.rule)) ||
        (text[length] == ':' && read.rule == IRR_LAMBDA_SEARCH)) {
        return IRR_ERR_BAD_PARAM;
    }
    limit *= read.rule == IRR_LAMBDA_PROPORTIONAL ? FACTOR_MAX : 1;
    if (text[length] == ':') {
        read.share = read_share(text + length + 1, limit);
    }
    if (read.share == 0) {
        return IRR_ERR_BAD_PARAM;
    }
    *lambda = read;
    return IRR_OK;
}

static int ascending(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* Returns `count` times share / IRR_LAMBDA_ONE, rounded, but at least 1 and at most `count`. */
static size_t messages_of(uint64_t share, size_t count)
{
    const size_t whole = share >= IRR_LAMBDA_ONE ? count : (share * count + IRR_LAMBDA_ONE / 2) / IRR_LAMBDA_ONE;

    return whole > 0 ? whole : 1;
}

/*
 * Returns the number of messages that the incremental rule sends whole.  If the rule sends message k + 1 whole, too,
 * the paper's gain is (1/m) / (k/m) * tau/phi - dM, where dM is the difference of two successive lengths.  The function
 * returns the number with the largest sum of gains.  `earned` is the sum of the first terms, in units of 1/65536 byte;
 * the sum of the dM is the difference of two lengths.  Nothing overflows.
 */
static size_t increments(const irr_lambda_step_t *step, size_t least)
{
    const uint64_t latency = step->latency < UINT64_C(1) << 40 ? step->latency : UINT64_C(1) << 40;
    uint64_t earned = 0, earned_best = 0;
    size_t best = least;

    for (size_t k = least; k < step->count; k++) {
        earned += (latency << 16) / k;
        if ((earned - earned_best) >> 16 >= step->lengths[k] - step->lengths[best - 1]) {
            best = k + 1;
            earned_best = earned;
        }
    }
    return best;
}

static bool second_phase(const irr_lambda_step_t *step)
{
    return step->left <= 2 * step->ranks || step->left <= step->total / 16;
}

uint64_t irr_lambda_threshold(irr_lambda_t lambda, const irr_lambda_step_t *step)
{
    uint64_t share = lambda.share, longest = 0;
    size_t whole;

    if (lambda.rule == IRR_LAMBDA_PROPORTIONAL) {
        share = share * step->left / step->ranks;
    }
    whole = second_phase(step) ? step->count : messages_of(share, step->count);
    if (whole == step->count) {
        for (size_t i = 0; i < step->count; i++) {
            longest = step->lengths[i] > longest ? step->lengths[i] : longest;
        }
        return longest;
    }
    qsort(step->lengths, step->count, sizeof(*step->lengths), ascending);
    whole = lambda.rule == IRR_LAMBDA_INCREMENTAL ? increments(step, whole) : whole;
    return step->lengths[whole - 1];
}

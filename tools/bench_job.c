/*
 * bench_job.c - irr_bench --job: whole jobs with coll/irr and without it.
 *
 *     irr_bench --job --ranks 2,4 --calls 20 --algorithms auto,board
 *     irr_bench --job --ranks 4 -- application -with options
 *
 * For each number of ranks, traffic, length and number of calls: pairs of jobs, one without coll/irr and one with each
 * algorithm.  Each pair has a random order of its own, as what a job leaves behind on the machine is there for the next
 * one, and each ratio is of two jobs of one pair, so what changes meanwhile changes for all of them alike.
 */
#include "bench_job.h"

#include <stdlib.h>

static irr_cli_exit_t run_pairs(const irr_job_options_t *options, const irr_job_cell_t *cell, uint64_t *random,
                                irr_job_sample_t *samples)
{
    const int runs = 1 + options->nalgorithms;
    int order[IRR_JOB_RUNS_MAX];
    irr_cli_exit_t code = IRR_CLI_GOOD;

    for (int turn = 0; turn < options->pairs * runs && code == IRR_CLI_GOOD; turn++) {
        const int pair = turn / runs, place = turn % runs;
        int i, algorithm;

        if (place == 0) {
            irr_cli_shuffle(order, runs, random);
        }
        i = order[place];
        algorithm = i == 0 ? IRR_BENCH_HOST : options->algorithms[i - 1];

        code = irr_job_launch(options, options->command == NULL ? &cell->job : NULL, cell->ranks, algorithm,
                              &samples[i * options->pairs + pair]);
    }
    return code;
}

/* The i-th of all combinations; false past the last, and for lengths of traffic that has its own. */
static bool choose(const irr_job_options_t *options, int i, irr_job_cell_t *cell)
{
    const int call = i % options->ncalls, length = i / options->ncalls % options->nbytes;
    const int traffic = i / options->ncalls / options->nbytes % options->ntraffic;
    const int ranks = i / options->ncalls / options->nbytes / options->ntraffic;

    cell->ranks = options->ranks[ranks];
    cell->job = (irr_job_t){ .traffic = options->traffic[traffic], .calls = options->calls[call],
                             .bytes = options->bytes[length], .alltoall = options->job.alltoall };
    return cell->job.traffic != IRR_JOB_ALTERNATING || length == 0;
}

/* A command does not tell whether coll/irr is there: a job of ours does. */
static irr_cli_exit_t probe(const irr_job_options_t *options)
{
    const irr_job_t job = { .traffic = IRR_JOB_SAME, .calls = 1, .bytes = 1 };
    irr_job_sample_t sample;
    irr_cli_exit_t code = IRR_CLI_GOOD;

    for (int i = 0; i <= options->nalgorithms && options->command != NULL && code == IRR_CLI_GOOD; i++) {
        code = irr_job_launch(options, &job, 2, i == 0 ? IRR_BENCH_HOST : options->algorithms[i - 1], &sample);
    }
    return code;
}

static irr_cli_exit_t drive(const irr_job_options_t *options)
{
    const int count = options->nranks * options->ntraffic * options->nbytes * options->ncalls;
    irr_job_sample_t *samples = calloc((size_t)options->pairs * (size_t)(1 + options->nalgorithms), sizeof(*samples));
    irr_job_report_t *report = samples != NULL ? irr_job_report_open(options) : NULL;
    irr_cli_exit_t code = report != NULL ? probe(options) : IRR_CLI_REFUSED, closed = IRR_CLI_GOOD;
    uint64_t random = options->seed;

    for (int i = 0; i < count && code == IRR_CLI_GOOD; i++) {
        irr_job_cell_t cell = { .samples = samples };

        if (!choose(options, i, &cell)) {
            continue;
        }
        code = run_pairs(options, &cell, &random, samples);
        if (code == IRR_CLI_GOOD) {
            irr_job_report_cell(report, &cell);
        }
    }
    if (report != NULL) {
        closed = irr_job_report_close(report);
    }
    free(samples);
    return code != IRR_CLI_GOOD ? code : closed;
}

irr_cli_exit_t irr_job_main(int argc, char **argv)
{
    irr_job_options_t options;
    irr_cli_exit_t code = irr_job_options_read(argc, argv, &options);

    if (code != IRR_CLI_GOOD || !options.run) {
        return code;
    }
    return options.once ? irr_job_once(&options.job) : drive(&options);
}

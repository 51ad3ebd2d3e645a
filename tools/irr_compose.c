/*
 * irr_compose.c - measures how a message of many pieces is best composed on the transports of this machine.
 *
 *     irr_compose [--transport NAME] [--tls LIST] [--devices LIST] [--provider NAME] [--domain LIST] [--iterations N]
 *
 * Two processes play ping-pong through the executor with a message of n pieces of a size, in each form and
 * in turn, so that a change of the machine's speed touches all forms alike.  Prints the median of half the
 * round trip for each form, beside one contiguous message of the same length, and what `auto` loses to the
 * best form.  The constants of exec/compose.c come from these tables.
 */
#include "cli_options.h"
#include "exec/exec.h"
#include "exec/tag.h"

#include <getopt.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { FORMS = IRR_COMPOSE_COUNT + 1, CONTIGUOUS = IRR_COMPOSE_COUNT, MAX_BYTES = 4 << 20 };

static const size_t piece_counts[] = { 2, 4, 16, 64, 256, 1024 };
static const size_t piece_sizes[] = { 16, 128, 512, 2048, 8192, 16384, 32768, 65536, 262144 };

typedef struct options {
    irr_engine_config_t config;
    int                 iterations;
} options_t;

/* One side of the ping-pong. */
typedef struct side {
    int              rank;
    irr_transport_t *transport;
    irr_peer_t      *peers[2];
    irr_channel_t   *channel;
    char            *input;
    char            *output;
    irr_exec_t       exec;
} side_t;

static void fail(const char *what, irr_status_t status)
{
    fprintf(stderr, "irr_compose: %s: %s\n", what, irr_status_text(status));
    exit(EXIT_FAILURE);
}

static double now_us(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

/* Addresses go over a socket pair, the length first. */
static void connect_peer(side_t *side, int socket)
{
    char address[4096];
    const void *own;
    size_t length;
    irr_status_t status = side->transport->ops->address(side->transport, &own, &length);

    if (status != IRR_OK || write(socket, &length, sizeof(length)) != sizeof(length) ||
        write(socket, own, length) != (ssize_t)length || read(socket, &length, sizeof(length)) != sizeof(length) ||
        length > sizeof(address) || recv(socket, address, length, MSG_WAITALL) != (ssize_t)length) {
        fail("exchanging addresses", IRR_ERR_UNREACHABLE);
    }
    status = side->transport->ops->connect(side->transport, address, length, &side->peers[1 - side->rank]);
    if (status != IRR_OK) {
        fail("connecting", status);
    }
    status = side->transport->ops->open_channel(side->transport, 0, 2, side->rank, side->peers, &side->channel);
    if (status != IRR_OK) {
        fail("opening a channel", status);
    }
}

/* Rank 0 sends and then receives, rank 1 receives and then sends; pieces lie with gaps of their own size. */
static void build_plan(irr_plan_t *plan, int rank, size_t pieces, size_t size)
{
    irr_problem_t problem = { .ranks = 2, .rank = rank };
    irr_piece_t *send = calloc(pieces, sizeof(*send)), *recv = calloc(pieces, sizeof(*recv));
    const size_t dep = 0;

    for (size_t i = 0; send != NULL && recv != NULL && i < pieces; i++) {
        send[i] = (irr_piece_t){ .buffer = IRR_BUFFER_INPUT, .offset = (ptrdiff_t)(2 * i * size), .length = size };
        recv[i] = (irr_piece_t){ .buffer = IRR_BUFFER_OUTPUT, .offset = (ptrdiff_t)(2 * i * size), .length = size };
    }
    irr_step_params_t receive = {
        .kind = IRR_STEP_RECV, .peer = 1 - rank, .stage = 1, .number = 1, .pieces = recv, .npieces = pieces
    };
    irr_step_params_t answer = {
        .kind = IRR_STEP_SEND, .peer = 1 - rank, .stage = 1, .number = 1, .pieces = send, .npieces = pieces,
        .deps = &dep, .ndeps = rank == 1
    };

    irr_plan_reset(plan, &problem);
    if (send == NULL || recv == NULL || irr_plan_add(plan, &receive) != IRR_OK ||
        irr_plan_add(plan, &answer) != IRR_OK ||
        irr_plan_reserve(plan, (irr_plan_bounds_t){ .steps = 2, .pieces = 2 * pieces, .deps = 1 }) != IRR_OK) {
        fail("building a plan", IRR_ERR_NO_MEMORY);
    }
    free(recv);
    free(send);
}

/* One round trip; returns half of it in microseconds. */
static double ping_pong(side_t *side, const irr_plan_t *plan, int form)
{
    irr_counters_t counters = { .exchanges = 0 };
    double start = now_us();
    irr_status_t status;

    side->exec.env = (irr_exec_env_t){
        .channel = side->channel, .tag_base = irr_tag_base(0), .input = side->input, .output = side->output,
        .compose = form == CONTIGUOUS ? IRR_COMPOSE_AUTO : (irr_compose_t)form,
        .counters = &counters
    };
    irr_exec_start(&side->exec, plan);
    do {
        side->transport->ops->progress(side->transport);
        status = irr_exec_progress(&side->exec);
    } while (status == IRR_IN_PROGRESS);
    if (status != IRR_OK) {
        fail("exchanging", status);
    }
    return (now_us() - start) / 2;
}

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return (left > right) - (left < right);
}

/* All forms in turn, iteration by iteration; medians into us. */
static void measure(side_t *side, size_t pieces, size_t size, int iterations, double *us)
{
    double *samples = calloc((size_t)iterations * FORMS, sizeof(*samples));
    irr_plan_t scattered, contiguous;

    irr_plan_init(&scattered);
    irr_plan_init(&contiguous);
    build_plan(&scattered, side->rank, pieces, size);
    build_plan(&contiguous, side->rank, 1, pieces * size);
    if (samples == NULL ||
        irr_exec_reserve(&side->exec, (irr_plan_bounds_t){ .steps = 2, .pieces = 2 * pieces, .deps = 1 }) != IRR_OK) {
        fail("measuring", IRR_ERR_NO_MEMORY);
    }
    for (int i = -3; i < iterations; i++) {
        for (int form = 0; form < FORMS; form++) {
            double sample = ping_pong(side, form == CONTIGUOUS ? &contiguous : &scattered, form);

            samples[form * iterations + (i > 0 ? i : 0)] = sample;
        }
    }
    for (int form = 0; form < FORMS; form++) {
        qsort(samples + form * iterations, (size_t)iterations, sizeof(*samples), compare);
        us[form] = samples[form * iterations + iterations / 2];
    }
    irr_plan_fini(&contiguous);
    irr_plan_fini(&scattered);
    free(samples);
}

static void print_row(size_t pieces, size_t size, const double *us)
{
    int best = IRR_COMPOSE_IOVEC;

    for (int form = IRR_COMPOSE_IOVEC; form < IRR_COMPOSE_COUNT; form++) {
        best = us[form] < us[best] ? form : best;
    }
    printf("%7zu %8zu %11.1f %9.1f %9.1f %9.1f %9.1f  %-6s %9.2f\n", pieces, size, us[CONTIGUOUS],
           us[IRR_COMPOSE_IOVEC], us[IRR_COMPOSE_GATHER], us[IRR_COMPOSE_SPLIT], us[IRR_COMPOSE_AUTO],
           irr_compose_name(best), us[IRR_COMPOSE_AUTO] / us[best]);
    fflush(stdout);
}

/* The shortest and the longest contiguous message, in bytes and microseconds. */
typedef struct extremes {
    double shortest, shortest_us, longest, longest_us;
} extremes_t;

static void extend(extremes_t *extremes, double bytes, double us)
{
    if (extremes->shortest == 0 || bytes < extremes->shortest) {
        extremes->shortest = bytes;
        extremes->shortest_us = us;
    }
    if (bytes > extremes->longest) {
        extremes->longest = bytes;
        extremes->longest_us = us;
    }
}

/* The tau / phi of the papers' model: a start-up takes as long as so many bytes. */
static void print_latency(const extremes_t *extremes)
{
    double more = extremes->longest_us - extremes->shortest_us;
    double rate = (extremes->longest - extremes->shortest) / more;

    if (more <= 0) {
        printf("# coll_irr_latency_bytes: a long message took no longer than a short one; the machine is too busy\n");
        return;
    }
    printf("# coll_irr_latency_bytes %.0f: %.0f bytes take %.1f us, %.0f bytes %.1f us\n",
           extremes->shortest_us * rate, extremes->shortest, extremes->shortest_us, extremes->longest,
           extremes->longest_us);
}

static void print_head(const side_t *side, const options_t *options)
{
    printf("# irr_compose: transport %s, %d iterations, medians in microseconds, one way\n", side->transport->caps.name,
           options->iterations);
    printf("# %5s %8s %11s %9s %9s %9s %9s  %-6s %9s\n", "pieces", "bytes", "contiguous", "iovec", "gather", "split",
           "auto", "best", "auto/best");
}

static void run(int rank, int socket, const options_t *options)
{
    side_t side = { .rank = rank };
    irr_status_t status = irr_transport_open(&options->config, &side.transport);
    extremes_t extremes = { 0 };
    double us[FORMS];
    char byte = 0;

    if (status != IRR_OK) {
        fail("opening the transport", status);
    }
    side.input = calloc(2, MAX_BYTES);
    side.output = calloc(2, MAX_BYTES);
    irr_exec_init(&side.exec);
    if (side.input == NULL || side.output == NULL) {
        fail("starting", IRR_ERR_NO_MEMORY);
    }
    connect_peer(&side, socket);
    if (rank == 0) {
        print_head(&side, options);
    }
    for (size_t i = 0; i < sizeof(piece_counts) / sizeof(piece_counts[0]); i++) {
        for (size_t j = 0; j < sizeof(piece_sizes) / sizeof(piece_sizes[0]); j++) {
            if (piece_counts[i] * piece_sizes[j] <= MAX_BYTES) {
                measure(&side, piece_counts[i], piece_sizes[j], options->iterations, us);
                extend(&extremes, (double)(piece_counts[i] * piece_sizes[j]), us[CONTIGUOUS]);
                if (rank == 0) {
                    print_row(piece_counts[i], piece_sizes[j], us);
                }
            }
        }
    }
    if (rank == 0) {
        print_latency(&extremes);
    }
    side.transport->ops->close(side.transport);
    while (side.transport->ops->drain(side.transport) == IRR_IN_PROGRESS) {
        side.transport->ops->progress(side.transport);
    }
    if (write(socket, &byte, 1) == 1) {
        while (recv(socket, &byte, 1, MSG_DONTWAIT) < 0) {
            side.transport->ops->progress(side.transport);
        }
    }
    side.transport->ops->close_channel(side.channel);
    side.transport->ops->free(side.transport);
    irr_exec_fini(&side.exec);
    free(side.output);
    free(side.input);
}

/* ---- the command line ---- */

const char irr_cli_program[] = "irr_compose";

static const irr_cli_option_t rows[] = {
    { "transport",  'T',         "NAME", "what moves messages: ucx or ofi" },
    { "tls",        't',         "LIST", "transports of UCX, as in UCX_TLS" },
    { "devices",    'd',         "LIST", "network devices of UCX, as in UCX_NET_DEVICES" },
    { "provider",   'p',         "NAME", "provider of libfabric, as in fi_info -p" },
    { "domain",     'D',         "LIST", "domain of libfabric, as in fi_info -d" },
    { "iterations", 'i',         "N",    "of each message and form; default 101" },
    IRR_CLI_ROW_HELP,
    IRR_CLI_ROW_VERSION,
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static irr_cli_exit_t read_option(int id, const char *value, void *context);
static void help(bool whole);

static const irr_cli_options_t table = { rows, ROWS, help, read_option, NULL, NULL };

static void help(bool whole)
{
    (void)whole;
    printf("Usage: irr_compose [OPTION...]\n"
           "Measures how a message of many pieces is best composed on the transports of this machine: two\n"
           "processes play ping-pong with it, in each form and in turn.  A row has microseconds one way, of\n"
           "one contiguous message of that length, of each form, and by what auto loses to the best.  The\n"
           "last line is what coll_irr_latency_bytes should be here.\n\n");
    irr_cli_options_print(&table);
    printf("\nExit status: 0 good, 1 the transport failed, 2 the input was refused.\n");
}

static irr_cli_exit_t read_option(int id, const char *value, void *context)
{
    options_t *options = context;

    switch (id) {
    case 't': options->config.ucx_tls = value; return IRR_CLI_GOOD;
    case 'd': options->config.ucx_devices = value; return IRR_CLI_GOOD;
    case 'T': options->config.transport = value; return IRR_CLI_GOOD;
    case 'p': options->config.ofi_provider = value; return IRR_CLI_GOOD;
    case 'D': options->config.ofi_domain = value; return IRR_CLI_GOOD;
    default:  return irr_cli_int("iterations", value, 1, 1000000, &options->iterations);
    }
}

int main(int argc, char **argv)
{
    options_t options = {
        .config = { .one_node = true, .job_ranks = 2, .node_ranks = 2 }, .iterations = 101
    };
    bool seen[ROWS] = { false }, done = false;
    int sockets[2], status = EXIT_FAILURE;
    irr_cli_exit_t code;
    pid_t child;

    code = irr_cli_options_read(&table, argc, argv, &options, seen, &done);
    if (code == IRR_CLI_GOOD && !done && optind < argc) {
        irr_cli_complain("unexpected argument '%.64s'; irr_compose --help lists the options", argv[optind]);
        code = IRR_CLI_REFUSED;
    }
    if (code != IRR_CLI_GOOD || done) {
        return (int)code;
    }
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0 || (child = fork()) < 0) {
        perror("irr_compose");
        return EXIT_FAILURE;
    }
    if (child == 0) {
        run(1, sockets[1], &options);
        _exit(EXIT_SUCCESS);
    }
    run(0, sockets[0], &options);
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE;
}

/*
 * plan_strategies.c - the strategies that simulate and recommend compare, and the machine that they run on.
 *
 * A strategy has the name of an algorithm, NAME, and may have a detail behind a slash.  NAME/DIMS is a grid with other
 * dimensions.  NAME/PACING is direct messages or a schedule with another pacing: the condition under which a message
 * may start.  With NAME/from:BYTES only messages of fewer bytes go through the grid; the rest are sent directly.
 * "host" is Open MPI's default algorithm, and "host/pairwise" is its algorithm that sends in steps.
 */
#include "plan.h"

#include "choose/candidates.h"
#include "study/cluster.h"
#include "study/traffic.h"

#include <stdlib.h>
#include <string.h>

#define HOST     "host"
#define PAIRWISE "host/pairwise"

/* ---- the machine ---- */

/* Places consecutive ranks on each node, and makes a topology of these nodes. */
static irr_status_t place_in_order(const irr_tool_options_t *options, int ranks, irr_tool_cluster_t *cluster)
{
    const int per_node = options->ranks_per_node > 0 ? options->ranks_per_node : 1;
    int *node_of = malloc((size_t)ranks * sizeof(*node_of));
    irr_status_t status = node_of != NULL ? IRR_OK : IRR_ERR_NO_MEMORY;

    for (int r = 0; r < ranks && status == IRR_OK; r++) {
        node_of[r] = r / per_node;
    }
    if (status == IRR_OK) {
        status = irr_nodes_init(&cluster->nodes, ranks, node_of);
    }
    if (status == IRR_OK) {
        status = irr_cluster_init(&cluster->machine, cluster->nodes.count, &cluster->topology);
    }
    if (status == IRR_OK) {
        status = irr_tree_init(&cluster->made, &cluster->topology, node_of, ranks);
    }
    free(node_of);
    return status;
}

irr_cli_exit_t irr_tool_cluster_open(const irr_tool_options_t *options, const irr_tool_input_t *input,
                                     irr_tool_cluster_t *cluster)
{
    const int ranks = input->matrix.ranks;
    const bool made = options->topology == NULL;
    irr_file_error_t error = { 0 };
    irr_status_t status = IRR_OK;

    *cluster = (irr_tool_cluster_t){ .machine = IRR_MACHINE_DEFAULT, .tree = made ? &cluster->made : &input->tree };
    if (options->machine != NULL) {
        status = irr_machine_read(options->machine, &cluster->machine, &error);
        if (status != IRR_OK) {
            return irr_cli_file_read(options->machine, status, &error);
        }
    }
    status = made ? place_in_order(options, ranks, cluster) : irr_nodes_init(&cluster->nodes, ranks, input->host_of);
    if (status != IRR_OK) {
        irr_cli_complain("%d ranks: %s", ranks, irr_status_text(status));
        irr_tool_cluster_close(cluster);
        return IRR_CLI_REFUSED;
    }
    cluster->traffic = irr_traffic_of(&input->matrix, cluster->nodes.largest);
    return IRR_CLI_GOOD;
}

void irr_tool_cluster_close(irr_tool_cluster_t *cluster)
{
    irr_tree_fini(&cluster->made);
    irr_topology_fini(&cluster->topology);
    irr_nodes_fini(&cluster->nodes);
}

/* ---- one strategy ---- */

#define FROM "from:"

/* Applies the text after the slash to the settings.  Returns NULL, or the reason why the algorithm cannot use it. */
static const char *take_detail(const char *text, irr_settings_t *settings)
{
    const irr_strategy_t *row = irr_algorithm_strategy(settings->algorithm);
    const bool grid = row->route == &irr_route_grid && row->shape != IRR_SHAPE_LINE;

    if (text[0] >= '0' && text[0] <= '9') {
        return grid && irr_dims_parse(text, &settings->dims) == IRR_OK
                   ? NULL : "dimensions, as 32x32, go with grid, balanced-grid, hybrid and bruck";
    }
    if (strncmp(text, FROM, strlen(FROM)) == 0) {
        const char *digits = text + strlen(FROM);
        uint64_t bytes;

        if (row->direct_from == 0 || !irr_lines_digits(digits, strlen(digits), 1, INT64_MAX, &bytes)) {
            return "from: and a number of bytes, at least 1, go with hybrid and node";
        }
        settings->direct_bytes = (size_t)bytes;
        return NULL;
    }
    for (int pacing = IRR_PACING_FREE; irr_pacing_name(pacing) != NULL; pacing++) {
        if (strcmp(irr_pacing_name(pacing), text) == 0) {
            settings->pacing = (irr_pacing_kind_t)pacing;
            return irr_tool_wrong_pacing(settings->pacing, row);
        }
    }
    return "behind a / there may be dimensions, as in 32x32, from:BYTES, or free, loose, grant or sync";
}

static irr_cli_exit_t take_strategy(const irr_tool_options_t *options, const irr_tool_cluster_t *cluster,
                                    const char *name, irr_tool_strategy_t *taken)
{
    irr_settings_t settings = options->settings;
    const char *slash = strchr(name, '/'), *wrong = NULL;
    const irr_strategy_t *named;
    char row[sizeof(taken->name)];

    *taken = (irr_tool_strategy_t){ .pairwise = strcmp(name, PAIRWISE) == 0 };
    taken->host = taken->pairwise || strcmp(name, HOST) == 0;
    snprintf(row, sizeof(row), "%.*s", slash != NULL ? (int)(slash - name) : (int)sizeof(row) - 1, name);
    snprintf(taken->name, sizeof(taken->name), "%s%s", irr_algorithm_newer(row), slash != NULL ? slash : "");
    settings.algorithm = irr_cli_find("strategy", taken->host ? "direct" : row, HOST, irr_algorithm_name);
    if (settings.algorithm < 0) {
        return IRR_CLI_REFUSED;
    }
    settings.algorithm = irr_algorithm_resolve(settings.algorithm, 1);
    named = irr_algorithm_strategy(settings.algorithm);
    if (settings.direct_bytes == IRR_BYTES_AUTO && named->route == &irr_route_grid) {
        settings.direct_bytes = irr_model_direct_from(&cluster->machine, &cluster->traffic);
    }
    if (named->order == &irr_order_redistribution && options->redistribute == NULL) {
        wrong = "needs --redistribute";
    } else if (taken->pairwise) {
        settings.pacing = IRR_PACING_LOOSE;
    } else if (slash != NULL) {
        wrong = take_detail(slash + 1, &settings);
    }
    if (wrong != NULL) {
        return irr_cli_complain("--algorithms: '%.64s': %s", name, wrong);
    }
    taken->strategy = irr_strategy_of(&settings, 1);
    taken->dims = settings.dims;
    taken->pacing = settings.pacing;
    taken->row = settings.algorithm;
    return IRR_CLI_GOOD;
}

/* ---- all of them ---- */

static irr_cli_exit_t add(const irr_tool_options_t *options, const irr_tool_cluster_t *cluster, const char *name,
                          irr_tool_strategies_t *strategies)
{
    irr_cli_exit_t code;

    for (int i = 0; i < strategies->count; i++) {
        if (strcmp(strategies->list[i].name, name) == 0) {
            return IRR_CLI_GOOD;
        }
    }
    if (strategies->count == IRR_TOOL_STRATEGIES_MAX) {
        return irr_cli_complain("--algorithms has more than %d strategies", IRR_TOOL_STRATEGIES_MAX);
    }
    code = take_strategy(options, cluster, name, &strategies->list[strategies->count]);
    strategies->count += code == IRR_CLI_GOOD;
    return code;
}

/* Writes the name of a strategy.  With a schedule auto tries all pacings, so the name then has none. */
static void name_of(const irr_candidate_t *candidate, char *name, size_t size)
{
    const irr_strategy_t *strategy = &candidate->strategy;
    size_t length = (size_t)snprintf(name, size, "%s", irr_algorithm_name(candidate->row));

    for (int i = 0; i < strategy->dims.count && length < size; i++) {
        length += (size_t)snprintf(name + length, size - length, "%c%d", i == 0 ? '/' : 'x', strategy->dims.size[i]);
    }
    if (irr_strategy_is_hybrid(strategy) && length < size) {
        snprintf(name + length, size - length, "/" FROM "%zu", strategy->direct_from);
    }
    if (!irr_strategy_is_scheduled(strategy) && strategy->pacing != irr_algorithm_strategy(candidate->row)->pacing &&
        length < size) {
        snprintf(name + length, size - length, "/%s", strategy->pacing->name);
    }
}

/*
 * Adds `host`.  If tried is true, adds the strategies that auto would try, otherwise all sensible strategies except
 * those with a schedule, which takes long to compute.
 */
static irr_cli_exit_t add_usual(const irr_tool_options_t *options, const irr_tool_cluster_t *cluster, bool tried,
                                irr_tool_strategies_t *strategies)
{
    const irr_settings_t *settings = &options->settings;
    irr_candidate_t list[IRR_CANDIDATES_ALL];
    const int count = tried ? irr_candidates(&cluster->machine, &cluster->traffic, settings, list)
                            : irr_candidates_all(&cluster->machine, &cluster->traffic, settings, list);
    char name[sizeof(strategies->list[0].name)];
    irr_cli_exit_t code = add(options, cluster, HOST, strategies);

    for (int i = 0; i < count && code == IRR_CLI_GOOD; i++) {
        if (tried || !irr_strategy_is_scheduled(&list[i].strategy)) {
            name_of(&list[i], name, sizeof(name));
            code = add(options, cluster, name, strategies);
        }
    }
    return code;
}

irr_cli_exit_t irr_tool_strategies_list(const irr_tool_options_t *options, const irr_tool_cluster_t *cluster,
                                        bool tried, irr_tool_strategies_t *strategies)
{
    const char *rest = options->algorithms;
    irr_cli_exit_t code = IRR_CLI_GOOD;
    char name[sizeof(strategies->list[0].name)];

    strategies->count = 0;
    if (rest == NULL) {
        code = add_usual(options, cluster, tried, strategies);
    }
    while (rest != NULL && code == IRR_CLI_GOOD) {
        irr_cli_take_name(&rest, name, sizeof(name));
        code = add(options, cluster, name, strategies);
    }
    for (int i = 0; tried && i < strategies->count && code == IRR_CLI_GOOD; i++) {
        if (strategies->list[i].pairwise) {
            irr_cli_complain("--algorithms: '" PAIRWISE "': goes with simulate, as the model does not know it");
            code = IRR_CLI_REFUSED;
        }
    }
    return code;
}

double irr_tool_strategy_model(const irr_tool_cluster_t *cluster, const irr_tool_strategy_t *strategy)
{
    return strategy->host && !strategy->pairwise ? irr_model_host_ns(&cluster->machine, &cluster->traffic)
                                       : irr_model_ns(&cluster->machine, &cluster->traffic, &strategy->strategy);
}

void irr_tool_cluster_print(const irr_tool_job_t *job, const irr_tool_cluster_t *cluster)
{
    fprintf(job->stream, "# %s: %d ranks on %d nodes; at most %.0f messages and %.0f bytes a rank, %.0f a "
            "message\n", irr_tool_source(job->options), cluster->nodes.ranks, cluster->nodes.count,
            cluster->traffic.messages, cluster->traffic.bytes, cluster->traffic.longest);
    fprintf(job->stream, "# machine %s", job->options->machine != NULL ? job->options->machine : "as preset");
    fprintf(job->stream, "%s%s\n", job->options->topology != NULL ? ", switches of " : "",
            job->options->topology != NULL ? job->options->topology : "");
}

/*
 * matrix_partition.c - the halo exchange of a mesh: divides a graph into parts; each part is a rank.
 *
 * Entry (i, j) is `unit` bytes for each vertex of part i that has a neighbour in part j, as in contrib/airfoil.  The
 * METIS library divides the graph with the defaults of gpmetis -ptype=kway, which gives the same parts.  Without the
 * library partition is not available.  Besides METIS, time and memory are linear in the graph.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "matrix.h"

#ifdef HAVE_METIS

#include "core/alloc.h"

#include <inttypes.h>
#include <metis.h>

#if IDXTYPEWIDTH != 32
#error "this METIS counts with 64 bits, irr_matrix needs one that counts with 32"
#endif

static irr_cli_exit_t cut(const irr_matrix_graph_t *graph, const irr_matrix_options_t *options, idx_t *part)
{
    idx_t vertices = graph->vertices, parts = options->parts, constraints = 1, edges_cut;
    idx_t settings[METIS_NOPTIONS];
    int code;

    METIS_SetDefaultOptions(settings);
    settings[METIS_OPTION_SEED] = (idx_t)options->seed;
    code = METIS_PartGraphKway(&vertices, &constraints, graph->first, graph->edges, NULL, NULL, NULL, &parts, NULL,
                               NULL, settings, &edges_cut, part);
    if (code != METIS_OK) {
        return irr_cli_complain("METIS failed with status %d", code);
    }
    return IRR_CLI_GOOD;
}

/* Counts the entries. seen[j]: the last vertex, from 1, that was counted for part j.  Returns false on overflow. */
static bool count(const irr_matrix_graph_t *graph, const idx_t *part, uint64_t unit, idx_t *seen,
                  irr_matrix_t *matrix)
{
    for (idx_t v = 0; v < graph->vertices; v++) {
        for (idx_t e = graph->first[v]; e < graph->first[v + 1]; e++) {
            const idx_t to = part[graph->edges[e]];
            uint64_t *entry = irr_matrix_at(matrix, part[v], to);

            if (to != part[v] && seen[to] != v + 1) {
                seen[to] = v + 1;
                if (__builtin_add_overflow(*entry, unit, entry)) {
                    return false;
                }
            }
        }
    }
    return true;
}

static irr_cli_exit_t make_matrix(const irr_matrix_graph_t *graph, const irr_matrix_options_t *options,
                                  irr_matrix_t *matrix)
{
    const uint64_t unit = options->unit > 0 ? options->unit : 8;
    idx_t *part = irr_alloc((size_t)graph->vertices, sizeof(*part));
    idx_t *seen = irr_alloc_zero((size_t)options->parts, sizeof(*seen));
    irr_matrix_t result = { .ranks = 0 };
    irr_cli_exit_t code = IRR_CLI_REFUSED;

    if (part == NULL || seen == NULL || irr_matrix_init(&result, options->parts) != IRR_OK) {
        irr_cli_complain("not enough memory for %d parts", options->parts);
        goto free_arrays;
    }
    code = cut(graph, options, part);
    if (code == IRR_CLI_GOOD && !count(graph, part, unit, seen, &result)) {
        irr_cli_complain("--unit %" PRIu64 " makes entries overflow", unit);
        code = IRR_CLI_REFUSED;
    }
    if (code == IRR_CLI_GOOD) {
        *matrix = result;
    } else {
        irr_matrix_fini(&result);
    }
free_arrays:
    irr_free(seen);
    irr_free(part);
    return code;
}

irr_cli_exit_t irr_matrix_partition(const irr_matrix_options_t *options, irr_matrix_t *matrix)
{
    const char *path = options->operands[0];
    irr_file_error_t error = { 0 };
    irr_matrix_graph_t graph;
    irr_cli_exit_t code;

    if (options->parts == 0) {
        return irr_cli_complain("-k is missing, the number of parts");
    }
    code = irr_cli_file_read(path, irr_matrix_graph_read(path, &graph, &error), &error);
    if (code != IRR_CLI_GOOD) {
        return code;
    }
    if (options->parts > graph.vertices) {
        irr_cli_complain("%.256s: %d vertices cannot be cut in %d parts", path, (int)graph.vertices,
                         options->parts);
        code = IRR_CLI_REFUSED;
    } else if (options->seed > INT32_MAX) {
        irr_cli_complain("--seed %" PRIu64 " is above %d, the largest that METIS takes", options->seed, INT32_MAX);
        code = IRR_CLI_REFUSED;
    } else {
        code = make_matrix(&graph, options, matrix);
    }
    irr_matrix_graph_fini(&graph);
    return code;
}

#else

irr_cli_exit_t irr_matrix_partition(const irr_matrix_options_t *options, irr_matrix_t *matrix)
{
    (void)options;
    (void)matrix;
    return irr_cli_complain("partition needs the METIS library, which this irr_matrix was built without (Debian: "
                            "libmetis-dev)");
}

#endif

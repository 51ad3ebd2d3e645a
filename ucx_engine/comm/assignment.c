/*
 * assignment.c - see assignment.h.
 */
#include "comm/assignment.h"

#include "core/alloc.h"
#include "exec/excerpt_bytes.h"
#include "exec/row.h"

#include <string.h>

/* Behind the bits of the routes. */
enum { DECLINED = 1 << IRR_ASSIGNS };

void irr_computed_fini(irr_computed_t *computed)
{
    for (int route = 0; route < IRR_ASSIGNS; route++) {
        irr_syncs_fini(&computed->syncs[route]);
        irr_schedule_fini(&computed->schedule[route]);
    }
    memset(computed, 0, sizeof(*computed));
}

/* ---- write ---- */

typedef struct writer {
    const irr_computed_t *computed;
    const irr_matrix_t   *matrix;
    const irr_nodes_t    *nodes;
    uint64_t              matrix_bytes;
    irr_excerpts_t        excerpts[IRR_ASSIGNS];
    irr_bytes_t          *parts;
} writer_t;

static irr_status_t write_excerpt(const writer_t *writer, int route, int rank)
{
    irr_excerpt_t excerpt;
    irr_status_t status = irr_excerpts_take(&writer->excerpts[route], rank, &excerpt);

    if (status == IRR_OK) {
        irr_excerpt_write(&excerpt, rank, writer->parts);
        irr_excerpt_fini(&excerpt);
    }
    return status;
}

static irr_status_t write_lengths(const writer_t *writer, int rank)
{
    const size_t count = irr_forward_count(writer->nodes, rank);
    uint64_t *lengths = irr_alloc(count, sizeof(*lengths));
    irr_status_t status = IRR_ERR_NO_MEMORY;

    if (lengths != NULL) {
        status = irr_forward_lengths(writer->nodes, writer->matrix, rank, lengths);
    }
    if (status == IRR_OK) {
        irr_row_write(writer->parts, lengths, (int)count);
    }
    irr_free(lengths);
    return status;
}

static irr_status_t write_one(const writer_t *writer, int rank)
{
    const irr_computed_t *computed = writer->computed;
    const size_t begin = irr_bytes_begin(writer->parts);
    uint64_t what = computed->declined ? DECLINED : 0;
    irr_status_t status = IRR_OK;

    for (int route = 0; route < IRR_ASSIGNS; route++) {
        what |= (uint64_t)computed->made[route] << route;
    }
    irr_bytes_put(writer->parts, what);
    irr_bytes_put(writer->parts, writer->matrix_bytes);
    for (int route = 0; route < IRR_ASSIGNS && status == IRR_OK; route++) {
        status = computed->made[route] ? write_excerpt(writer, route, rank) : IRR_OK;
    }
    if (status == IRR_OK && computed->made[IRR_ASSIGNS_FORWARDED]) {
        status = write_lengths(writer, rank);
    }
    irr_bytes_end(writer->parts, begin);
    return status;
}

irr_status_t irr_assignments_write(const irr_computed_t *computed, const irr_matrix_t *matrix,
                                   const irr_nodes_t *nodes, uint64_t matrix_bytes, irr_bytes_t *parts)
{
    writer_t writer = {
        .computed = computed, .matrix = matrix, .nodes = nodes, .matrix_bytes = matrix_bytes, .parts = parts
    };
    irr_status_t status = IRR_OK;

    for (int route = 0; route < IRR_ASSIGNS && status == IRR_OK; route++) {
        if (computed->made[route]) {
            status = irr_excerpts_init(&writer.excerpts[route], &computed->schedule[route], &computed->syncs[route]);
        }
    }
    for (int r = 0; r < matrix->ranks && status == IRR_OK; r++) {
        status = write_one(&writer, r);
    }
    for (int route = 0; route < IRR_ASSIGNS; route++) {
        irr_excerpts_fini(&writer.excerpts[route]);
    }
    return status == IRR_OK && parts->lacking ? IRR_ERR_NO_MEMORY : status;
}

/* ---- read ---- */

static irr_status_t read_forward(irr_reader_t *reader, int rank, const irr_nodes_t *nodes, irr_blocks_t sent,
                                 irr_assignment_t *assignment)
{
    const size_t count = nodes->ranks > 0 ? irr_forward_count(nodes, rank) : 0;
    uint64_t *lengths = irr_alloc(count, sizeof(*lengths)), total = 0;
    irr_status_t status = IRR_ERR_NO_MEMORY;

    if (lengths != NULL) {
        irr_row_read(reader, (int)count, &total, lengths);
        status = count > 0 && !reader->bad ? IRR_OK : IRR_ERR_PROTOCOL;
    }
    if (status == IRR_OK) {
        status = irr_forward_init_with(&assignment->forward, nodes, sent, lengths, rank);
    }
    irr_free(lengths);
    if (status == IRR_OK &&
        !irr_forward_fits(&assignment->forward, &assignment->excerpt[IRR_ASSIGNS_FORWARDED].schedule)) {
        status = IRR_ERR_PROTOCOL;
    }
    return status;
}

static irr_status_t read_all(irr_reader_t *reader, int ranks, int rank, const irr_nodes_t *nodes, irr_blocks_t sent,
                             irr_assignment_t *assignment)
{
    const uint64_t what = irr_varint_get(reader, 2 * DECLINED - 1);
    irr_status_t status = IRR_OK;

    assignment->declined = (what & DECLINED) != 0;
    assignment->matrix_bytes = irr_varint_get(reader, INT64_MAX);
    for (int route = 0; route < IRR_ASSIGNS && status == IRR_OK; route++) {
        assignment->given[route] = (what >> route & 1) != 0;
        if (assignment->given[route]) {
            status = irr_excerpt_read(reader, ranks, rank, &assignment->excerpt[route]);
        }
    }
    if (status == IRR_OK && assignment->given[IRR_ASSIGNS_FORWARDED]) {
        status = read_forward(reader, rank, nodes, sent, assignment);
    }
    return status == IRR_OK && !irr_reader_ends(reader) ? IRR_ERR_PROTOCOL : status;
}

irr_status_t irr_assignment_read(irr_reader_t reader, int ranks, int rank, const irr_nodes_t *nodes, irr_blocks_t sent,
                                 irr_assignment_t *assignment)
{
    irr_assignment_t read = { .matrix_bytes = 0 };
    irr_status_t status = read_all(&reader, ranks, rank, nodes, sent, &read);

    if (status != IRR_OK) {
        irr_assignment_fini(&read);
        return status;
    }
    *assignment = read;
    return IRR_OK;
}

void irr_assignment_fini(irr_assignment_t *assignment)
{
    irr_forward_fini(&assignment->forward);
    for (int route = 0; route < IRR_ASSIGNS; route++) {
        irr_excerpt_fini(&assignment->excerpt[route]);
    }
    memset(assignment, 0, sizeof(*assignment));
}

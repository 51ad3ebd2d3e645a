/* assignment.c - writes and reads the parts of a schedule that rank 0 sends to the ranks; see assignment.h. */
#include "comm/assignment.h"

#include "core/alloc.h"
#include "exec/local_schedule_bytes.h"
#include "exec/row.h"

#include <string.h>

void irr_computed_fini(irr_computed_t *computed)
{
    irr_syncs_fini(&computed->syncs);
    irr_schedule_fini(&computed->schedule);
    memset(computed, 0, sizeof(*computed));
}

/* ---- write ---- */

typedef struct writer {
    const irr_computed_t *computed;
    const irr_matrix_t   *matrix;
    const irr_nodes_t    *nodes;
    uint64_t              matrix_bytes;
    irr_local_schedules_t locals;
    irr_bytes_t          *entries;
} writer_t;

static irr_status_t write_local_schedule(const writer_t *writer, int rank)
{
    irr_local_schedule_t local;
    irr_status_t status = irr_local_schedules_take(&writer->locals, rank, &local);

    if (status == IRR_OK) {
        irr_local_schedule_write(&local, rank, writer->entries);
        irr_local_schedule_fini(&local);
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
        irr_row_write(writer->entries, lengths, (int)count);
    }
    irr_free(lengths);
    return status;
}

static irr_status_t write_one(const writer_t *writer, int rank)
{
    const bool declined = writer->computed->declined;
    const size_t begin = irr_bytes_begin(writer->entries);
    irr_status_t status;

    irr_bytes_put(writer->entries, declined);
    irr_bytes_put(writer->entries, writer->matrix_bytes);
    status = declined ? IRR_OK : write_local_schedule(writer, rank);
    if (status == IRR_OK && !declined && writer->nodes != NULL) {
        status = write_lengths(writer, rank);
    }
    irr_bytes_end(writer->entries, begin);
    return status;
}

irr_status_t irr_assignments_write(const irr_computed_t *computed, const irr_matrix_t *matrix,
                                   const irr_nodes_t *nodes, uint64_t matrix_bytes, irr_bytes_t *entries)
{
    writer_t writer = {
        .computed = computed, .matrix = matrix, .nodes = nodes, .matrix_bytes = matrix_bytes, .entries = entries
    };
    irr_status_t status = IRR_OK;

    if (!computed->declined) {
        status = irr_local_schedules_init(&writer.locals, &computed->schedule, &computed->syncs);
    }
    for (int r = 0; r < matrix->ranks && status == IRR_OK; r++) {
        status = write_one(&writer, r);
    }
    irr_local_schedules_fini(&writer.locals);
    return status == IRR_OK && entries->lacking ? IRR_ERR_NO_MEMORY : status;
}

/* ---- read ---- */

static irr_status_t read_forward(irr_reader_t *reader, int rank, const irr_nodes_t *nodes, irr_blocks_t sent,
                                 irr_assignment_t *assignment)
{
    const size_t count = irr_forward_count(nodes, rank);
    uint64_t *lengths = irr_alloc(count, sizeof(*lengths)), total = 0;
    irr_status_t status = IRR_ERR_NO_MEMORY;

    if (lengths != NULL) {
        irr_row_read(reader, (int)count, &total, lengths);
        status = !reader->bad ? IRR_OK : IRR_ERR_PROTOCOL;
    }
    if (status == IRR_OK) {
        status = irr_forward_init_with(&assignment->forward, nodes, sent, lengths, rank);
    }
    irr_free(lengths);
    if (status == IRR_OK && !irr_forward_fits(&assignment->forward, &assignment->local.schedule)) {
        status = IRR_ERR_PROTOCOL;
    }
    return status;
}

static irr_status_t read_all(irr_reader_t *reader, int ranks, int rank, const irr_nodes_t *nodes, irr_blocks_t sent,
                             irr_assignment_t *assignment)
{
    irr_status_t status = IRR_OK;

    assignment->declined = irr_varint_get(reader, 1) != 0;
    assignment->matrix_bytes = irr_varint_get(reader, INT64_MAX);
    if (!assignment->declined) {
        status = irr_local_schedule_read(reader, ranks, rank, &assignment->local);
    }
    if (status == IRR_OK && !assignment->declined && nodes != NULL) {
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
    irr_local_schedule_fini(&assignment->local);
    memset(assignment, 0, sizeof(*assignment));
}

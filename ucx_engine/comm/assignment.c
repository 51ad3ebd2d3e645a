/*
 * assignment.c - see assignment.h.
 */
#include "comm/assignment.h"

#include "core/alloc.h"
#include "exec/excerpt_bytes.h"
#include "exec/row.h"
#include "exec/varint.h"

#include <string.h>

/* ---- write ---- */

/* Before it is bytes. */
typedef struct draft {
    irr_excerpt_t excerpt[IRR_ASSIGNS];
    uint64_t     *lengths;
    size_t        count;
} draft_t;

typedef struct writer {
    const irr_computed_t *computed;
    const irr_matrix_t   *matrix;
    const irr_nodes_t    *nodes;
    uint64_t              matrix_bytes;
    irr_excerpts_t        excerpts[IRR_ASSIGNS];
} writer_t;

void irr_computed_fini(irr_computed_t *computed)
{
    for (int route = 0; route < IRR_ASSIGNS; route++) {
        irr_syncs_fini(&computed->syncs[route]);
        irr_schedule_fini(&computed->schedule[route]);
    }
    memset(computed, 0, sizeof(*computed));
}

static void draft_fini(draft_t *draft)
{
    irr_free(draft->lengths);
    for (int route = 0; route < IRR_ASSIGNS; route++) {
        irr_excerpt_fini(&draft->excerpt[route]);
    }
}

static irr_status_t make_draft(const writer_t *writer, int rank, draft_t *draft)
{
    irr_status_t status = IRR_OK;

    for (int route = 0; route < IRR_ASSIGNS && status == IRR_OK; route++) {
        if (writer->computed->made[route]) {
            status = irr_excerpts_take(&writer->excerpts[route], rank, &draft->excerpt[route]);
        }
    }
    if (status == IRR_OK && writer->computed->made[IRR_ASSIGNS_FORWARDED]) {
        draft->count = irr_forward_count(writer->nodes, rank);
        draft->lengths = irr_alloc(draft->count, sizeof(*draft->lengths));
        if (draft->lengths == NULL) {
            return IRR_ERR_NO_MEMORY;
        }
        status = irr_forward_lengths(writer->nodes, writer->matrix, rank, draft->lengths);
    }
    return status;
}

/* Returns how many bytes there are, and writes them unless out is NULL. */
static size_t encode(const writer_t *writer, const draft_t *draft, int rank, unsigned char *out)
{
    const bool *made = writer->computed->made;
    size_t at = irr_varint_put(out, 0, writer->computed->verdict);

    at = irr_varint_put(out, at, writer->matrix_bytes);
    at = irr_varint_put(out, at, made[IRR_ASSIGNS_DIRECT] | (uint64_t)made[IRR_ASSIGNS_FORWARDED] << 1);
    for (int route = 0; route < IRR_ASSIGNS; route++) {
        if (writer->computed->made[route]) {
            at += irr_excerpt_encode(&draft->excerpt[route], rank, out != NULL ? out + at : NULL);
        }
    }
    if (writer->computed->made[IRR_ASSIGNS_FORWARDED]) {
        at += irr_row_encode(draft->lengths, (int)draft->count, out != NULL ? out + at : NULL);
    }
    return at;
}

static irr_status_t write_one(const writer_t *writer, int rank, irr_bytes_t *parts)
{
    draft_t draft = { .lengths = NULL };
    irr_status_t status = make_draft(writer, rank, &draft);

    if (status == IRR_OK) {
        unsigned char *part = irr_bytes_add_part(parts, encode(writer, &draft, rank, NULL));

        if (part != NULL) {
            encode(writer, &draft, rank, part);
        }
        status = part != NULL ? IRR_OK : IRR_ERR_NO_MEMORY;
    }
    draft_fini(&draft);
    return status;
}

irr_status_t irr_assignments_write(const irr_computed_t *computed, const irr_matrix_t *matrix,
                                   const irr_nodes_t *nodes, uint64_t matrix_bytes, irr_bytes_t *parts)
{
    writer_t writer = { .computed = computed, .matrix = matrix, .nodes = nodes, .matrix_bytes = matrix_bytes };
    irr_status_t status = IRR_OK;

    for (int route = 0; route < IRR_ASSIGNS && status == IRR_OK; route++) {
        if (computed->made[route]) {
            status = irr_excerpts_init(&writer.excerpts[route], &computed->schedule[route], &computed->syncs[route]);
        }
    }
    for (int r = 0; r < matrix->ranks && status == IRR_OK; r++) {
        status = write_one(&writer, r, parts);
    }
    for (int route = 0; route < IRR_ASSIGNS; route++) {
        irr_excerpts_fini(&writer.excerpts[route]);
    }
    return status;
}

/* ---- read ---- */

/* Of a rank, to the end of what is there. */
static irr_status_t read_lengths(const unsigned char *in, size_t length, size_t count, uint64_t *lengths)
{
    uint64_t total = 0;
    irr_row_t row;

    if (irr_row_check(in, length, (int)count, &total) != IRR_OK) {
        return IRR_ERR_PROTOCOL;
    }
    memset(lengths, 0, count * sizeof(*lengths));
    irr_row_begin(&row, in, length, (int)count);
    while (irr_row_next(&row)) {
        lengths[row.to] = row.bytes;
    }
    return IRR_OK;
}

static irr_status_t read_forward(const unsigned char *in, size_t length, int rank, const irr_nodes_t *nodes,
                                 irr_blocks_t sent, irr_assignment_t *assignment)
{
    const size_t count = nodes->ranks > 0 ? irr_forward_count(nodes, rank) : 0;
    uint64_t *lengths = irr_alloc(count, sizeof(*lengths));
    irr_status_t status = IRR_ERR_NO_MEMORY;

    if (lengths != NULL) {
        status = count > 0 ? read_lengths(in, length, count, lengths) : IRR_ERR_PROTOCOL;
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

static irr_status_t read_all(const unsigned char *in, size_t length, int ranks, int rank, const irr_nodes_t *nodes,
                             irr_blocks_t sent, irr_assignment_t *assignment)
{
    size_t at = 0;
    uint64_t verdict, routes;
    irr_status_t status = IRR_OK;

    if (!irr_varint_get(in, length, &at, IRR_VERDICTS - 1, &verdict) ||
        !irr_varint_get(in, length, &at, INT64_MAX, &assignment->matrix_bytes) ||
        !irr_varint_get(in, length, &at, (1u << IRR_ASSIGNS) - 1, &routes)) {
        return IRR_ERR_PROTOCOL;
    }
    assignment->verdict = (irr_verdict_t)verdict;
    for (int route = 0; route < IRR_ASSIGNS && status == IRR_OK; route++) {
        assignment->given[route] = (routes >> route & 1) != 0;
        if (assignment->given[route]) {
            status = irr_excerpt_decode(in, length, &at, ranks, rank, &assignment->excerpt[route]);
        }
    }
    if (status == IRR_OK && assignment->given[IRR_ASSIGNS_FORWARDED]) {
        return read_forward(in + at, length - at, rank, nodes, sent, assignment);
    }
    return status == IRR_OK && at != length ? IRR_ERR_PROTOCOL : status;
}

irr_status_t irr_assignment_read(const unsigned char *in, size_t length, int ranks, int rank,
                                 const irr_nodes_t *nodes, irr_blocks_t sent,
                                 irr_assignment_t *assignment)
{
    irr_assignment_t read = { .matrix_bytes = 0 };
    irr_status_t status = read_all(in, length, ranks, rank, nodes, sent, &read);

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

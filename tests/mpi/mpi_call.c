/*
 * mpi_call.c - one call of the all-to-all family: arguments, contents, and expected data (mpi_call.h).
 */
#include "mpi_call.h"

#include "mpi_device.h"

const char *const mpi_forms[FORMS] = { "blocking", "nonblocking", "persistent" };

const mpi_kind_t mpi_kinds[KINDS] = {
    { "MPI_Alltoall",            UNIFORM, 0, 0 }, { "MPI_Alltoall in place",  UNIFORM, 0, 1 },
    { "MPI_Alltoallv",           VECTORS, 0, 0 }, { "MPI_Alltoallv in place", VECTORS, 0, 1 },
    { "MPI_Alltoallw",           EACH,    0, 0 }, { "MPI_Alltoallw in place", EACH,    0, 1 },
    { "MPI_Neighbor_alltoall",   UNIFORM, 1, 0 },
    { "MPI_Neighbor_alltoallv",  VECTORS, 1, 0 },
    { "MPI_Neighbor_alltoallw",  EACH,    1, 0 }
};

/*
 * The room on both sides of a copy in device memory, in bytes.  Open MPI tests whether the address of a block is in
 * device memory, and a lower bound other than 0 moves that address out of the copy.
 */
enum { DEVICE_ROOM = 1 << 16 };

/* ---- sides ---- */

/*
 * Returns the count of a block.  In place, both directions between two ranks have one count.  On an
 * inter-communicator, uniform counts depend on the group.
 */
static int count_of(const mpi_spec_t *spec, const mpi_pair_t *pair, int from, int to, int edge)
{
    const int boundary = pair->first > pair->other_first ? pair->first : pair->other_first;
    const int swap = spec->kind->in_place && from > to, group = from >= boundary;

    return spec->kind->layout == UNIFORM ? spec->counts(spec, group, group, 0)
                                         : spec->counts(spec, swap ? to : from, swap ? from : to, edge);
}

static int edge_count(const mpi_call_t *call, const mpi_side_t *side, int slot)
{
    const mpi_pair_t *pair = call->pair;
    const int me = pair->first + pair->rank, rank = side->edges->ranks[slot], other = pair->other_first + rank;

    if (rank == MPI_PROC_NULL && call->spec.kind->layout != UNIFORM) {
        return 1;   /* a block whose elements must not change */
    }
    return side == &call->send ? count_of(&call->spec, pair, me, other, side->edges->numbers[slot])
                               : count_of(&call->spec, pair, other, me, side->edges->numbers[slot]);
}

static MPI_Datatype draw_type(const mpi_spec_t *spec, uint64_t *state)
{
    return spec->pieces > 0   ? mpi_types_runs(spec->base, spec->items, spec->pieces)
           : spec->pieces < 0 ? mpi_types_slots(spec->base, spec->items, -spec->pieces, state)
                              : mpi_types_random(spec->base, spec->items, state);
}

/* Lays out the blocks: consecutively for uniform calls, or in any order with gaps, around a base in their middle. */
static void lay_out(mpi_side_t *side, const mpi_spec_t *spec, uint64_t *state)
{
    const mpi_layout_t layout = spec->kind->layout;
    const int count = side->edges->count, in_order = layout == UNIFORM || spec->room > 0;
    const int begin = count > 0 ? mpi_test_below(state, count) : 0;
    MPI_Aint at = 0, lowest, middle, lower, extent, true_lower, true_extent;

    for (int k = 0; k < count; k++) {
        const int i = in_order ? k : (begin + k * (count > 1 ? count - 1 : 1)) % count;

        MPI_Type_get_extent(side->types[i], &lower, &extent);
        side->offsets[i] = at - (layout == EACH ? lower : 0);
        at += extent * (layout == UNIFORM ? side->each
                        : spec->room > 0  ? spec->room : side->counts[i] + mpi_test_below(state, 2));
    }
    MPI_Type_get_extent(side->types[count], &lower, &extent);
    MPI_Type_get_true_extent(side->types[count], &true_lower, &true_extent);
    lowest = layout == EACH ? 0 : lower;
    middle = in_order ? 0 : at / 2 / extent * extent;
    side->bytes = (size_t)(at + 2 * extent + true_extent + (layout == UNIFORM ? spec->room * count * extent : 0));
    side->memory = malloc(side->bytes);
    side->base = side->memory - lowest + middle;
    for (int i = 0; i < count; i++) {
        side->offsets[i] -= middle;
        side->displs[i] = (int)(layout == EACH ? side->offsets[i] : side->offsets[i] / extent);
    }
}

static void side_allocate(mpi_side_t *side, const mpi_edges_t *edges)
{
    const size_t room = (size_t)edges->count + 1;

    side->edges = edges;
    side->counts = calloc(room, sizeof(int));
    side->displs = calloc(room, sizeof(int));
    side->offsets = calloc(room, sizeof(*side->offsets));
    side->types = calloc(room, sizeof(*side->types));
}

static void side_init(mpi_call_t *call, mpi_side_t *side, const mpi_edges_t *edges)
{
    const mpi_spec_t *spec = &call->spec;
    const mpi_pair_t *pair = call->pair;
    const int sends = side == &call->send;
    uint64_t own = spec->seed + (uint64_t)((pair->first + pair->rank) * 2 + sends) * 65537;
    const MPI_Datatype one = draw_type(spec, &own);

    side_allocate(side, edges);
    side->each = count_of(spec, pair, sends ? pair->first : pair->other_first, 0, 0);
    side->types[edges->count] = one;
    for (int i = 0; i < edges->count; i++) {
        side->counts[i] = edge_count(call, side, i);
        if (spec->kind->layout == EACH) {
            side->types[i] = draw_type(spec, &own);
        } else {
            MPI_Type_dup(one, &side->types[i]);
        }
    }
    lay_out(side, spec, &own);
    side->device = mpi_device_take(2 * DEVICE_ROOM + side->bytes, sends, mpi_test_random(&own));
}

/* Returns the base for MPI. */
static char *base_of(const mpi_side_t *side)
{
    return side->device != NULL ? side->device + DEVICE_ROOM + (side->base - side->memory) : side->base;
}

/* upload copies `memory` to its copy in device memory, if the side has one; download copies it back. */
static void upload(const mpi_side_t *side)
{
    if (side->device != NULL) {
        mpi_device_copy(side->device + DEVICE_ROOM, side->memory, side->bytes);
    }
}

static void download(const mpi_side_t *side)
{
    if (side->device != NULL) {
        mpi_device_copy(side->memory, side->device + DEVICE_ROOM, side->bytes);
    }
}

static void side_fini(mpi_side_t *side)
{
    for (int i = 0; i <= side->edges->count; i++) {
        MPI_Type_free(&side->types[i]);
    }
    if (side->device != NULL) {
        mpi_device_give(side->device);
    }
    free(side->memory);
    free(side->types);
    free(side->offsets);
    free(side->displs);
    free(side->counts);
}

/* ---- life ---- */

mpi_spec_t mpi_spec_random(int kind, int shape, uint64_t *state)
{
    static const int items[] = { 1, 2, 7, 64, 512, 1024 };
    const MPI_Datatype bases[] = { MPI_DOUBLE, MPI_INT, MPI_CHAR };
    mpi_spec_t spec = { .kind = &mpi_kinds[kind], .counts = mpi_shapes[shape] };

    spec.base = bases[mpi_test_below(state, 3)];
    spec.items = items[mpi_test_below(state, (int)(sizeof(items) / sizeof(items[0])))];
    spec.most = spec.items > 64 ? 4 : 40;
    spec.seed = mpi_test_random(state);
    return spec;
}

mpi_spec_t mpi_spec_plain(int kind, mpi_counts_t counts, int room, uint64_t seed)
{
    return (mpi_spec_t){ .kind = &mpi_kinds[kind], .counts = counts, .base = MPI_INT, .items = 1, .pieces = 1,
                         .room = room, .most = room, .seed = seed };
}

void mpi_call_init(mpi_call_t *call, const mpi_pair_t *pair, const mpi_spec_t *spec)
{
    const int neighbors = spec->kind->neighbors;

    *call = (mpi_call_t){ .spec = *spec, .pair = pair, .comm = pair->irr, .request = MPI_REQUEST_NULL };
    side_init(call, &call->send, neighbors ? &pair->out : &pair->all);
    side_init(call, &call->recv, neighbors ? &pair->in : &pair->all);
    call->expected = malloc(call->recv.bytes);
}

void mpi_call_init_plain(mpi_call_t *call, const mpi_pair_t *pair, int shape, uint64_t *state)
{
    mpi_spec_t spec = mpi_spec_plain(ALLTOALLV, mpi_shapes[shape], 0, mpi_test_random(state));

    spec.most = 100;
    mpi_call_init(call, pair, &spec);
}

/* ---- contents ---- */

static void pattern(char *memory, size_t bytes, uint64_t seed)
{
    uint64_t word = (seed + 1) * UINT64_C(0xbf58476d1ce4e5b9);

    for (size_t i = 0; i < bytes; i += sizeof(word), word += UINT64_C(0x9e3779b97f4a7c15)) {
        memcpy(memory + i, &word, bytes - i < sizeof(word) ? bytes - i : sizeof(word));
    }
}

static int elements(const mpi_call_t *call, const mpi_side_t *side, int slot)
{
    return call->spec.kind->layout == UNIFORM ? side->each : side->counts[slot];
}

/* Writes a block, from one rank to another, into memory with this base at the position of a slot of `side`. */
static void put(const mpi_call_t *call, const mpi_side_t *side, int slot, char *base, int from, int to)
{
    const int count = elements(call, side, slot);
    int size, at = 0;
    size_t bytes;
    char *packed;

    MPI_Type_size(side->types[slot], &size);
    bytes = (size_t)size * (size_t)count;
    packed = malloc(bytes + 1);
    pattern(packed, bytes,
            mpi_call_hash(call->spec.seed + call->fills * 1000003, from, to, side->edges->numbers[slot]));
    MPI_Unpack(packed, (int)bytes, &at, base + side->offsets[slot], count, side->types[slot], MPI_COMM_SELF);
    free(packed);
}

static void put_all(const mpi_call_t *call, const mpi_side_t *side, char *base, int sends)
{
    const mpi_pair_t *pair = call->pair;
    const int me = pair->first + pair->rank;

    for (int i = 0; i < side->edges->count; i++) {
        const int other = pair->other_first + side->edges->ranks[i];

        if (side->edges->ranks[i] != MPI_PROC_NULL) {
            put(call, side, i, base, sends ? me : other, sends ? other : me);
        }
    }
}

void mpi_call_fill(mpi_call_t *call)
{
    mpi_side_t *recv = &call->recv, *send = call->spec.kind->in_place ? recv : &call->send;

    call->fills++;
    call->result = MPI_SUCCESS;
    pattern(recv->memory, recv->bytes, call->fills + 7);
    if (send != recv) {
        pattern(send->memory, send->bytes, call->fills);
    }
    put_all(call, send, send->base, 1);
    memcpy(call->expected, recv->memory, recv->bytes);
    put_all(call, recv, call->expected + (recv->base - recv->memory), 0);
    upload(recv);
    upload(send);
}

int mpi_call_is_right(const mpi_call_t *call)
{
    download(&call->recv);
    return memcmp(call->expected, call->recv.memory, call->recv.bytes) == 0;
}

int mpi_call_is_intact(const mpi_call_t *call)
{
    const mpi_side_t *recv = &call->recv;
    char *masked = malloc(recv->bytes);
    int same;

    download(recv);
    memcpy(masked, recv->memory, recv->bytes);
    put_all(call, recv, masked + (recv->base - recv->memory), 0);
    same = memcmp(masked, call->expected, recv->bytes) == 0;
    free(masked);
    return same;
}

int mpi_call_once(mpi_call_t *call, mpi_form_t form)
{
    mpi_call_fill(call);
    mpi_call_start(call, form);
    return mpi_call_wait(call) == MPI_SUCCESS && mpi_call_is_right(call);
}

int mpi_call_agrees(const mpi_call_t *call)
{
    const mpi_side_t *recv = &call->recv, *send = call->spec.kind->in_place ? recv : &call->send;
    const int ins = recv->edges->count, outs = send->edges->count;
    MPI_Request *requests = malloc((size_t)(ins + outs + 1) * sizeof(*requests));
    char *memory = malloc(recv->bytes), *base = memory + (recv->base - recv->memory);
    int same;

    memcpy(memory, recv->memory, recv->bytes);
    for (int i = 0; i < ins; i++) {
        MPI_Irecv(base + recv->offsets[i], elements(call, recv, i), recv->types[i], recv->edges->ranks[i],
                  recv->edges->numbers[i], call->pair->plain, &requests[i]);
    }
    for (int i = 0; i < outs; i++) {
        MPI_Isend(send->base + send->offsets[i], elements(call, send, i), send->types[i], send->edges->ranks[i],
                  send->edges->numbers[i], call->pair->plain, &requests[ins + i]);
    }
    MPI_Waitall(ins + outs, requests, MPI_STATUSES_IGNORE);
    same = memcmp(memory, call->expected, recv->bytes) == 0;
    free(memory);
    free(requests);
    return same;
}

int mpi_call_is_served(const mpi_call_t *call, mpi_form_t form)
{
    return !call->pair->has_nobody && (form != BLOCKING || call->spec.kind->layout != UNIFORM ||
                                       call->pair->is_inter || call->send.each + call->recv.each > 0);
}

/* ---- MPI ---- */

/* The arguments of the collectives.  Each side has copies of its own. */
#define U_ARGUMENTS input, send->each, stype, output, recv->each, rtype, comm
#define V_ARGUMENTS input, ARRAYS(out, displs), stype, output, ARRAYS(in, displs), rtype, comm
#define W_ARGUMENTS input, ARRAYS(out, displs), out.types, output, ARRAYS(in, displs), in.types, comm
#define N_ARGUMENTS input, ARRAYS(out, offsets), ARRAY(out, types), output, ARRAYS(in, offsets), ARRAY(in, types), comm

/* The arrays of a side without blocks are NULL, unless MPI refuses them. */
#define ARRAY(side, array) ((side).edges->count > 0 || form == refused_form() ? (side).array : NULL)
#define ARRAYS(side, distances) ARRAY(side, counts), ARRAY(side, distances)

#define FORM(name, iname, ...)                                      \
    (form == BLOCKING      ? MPI_##name(__VA_ARGS__)                \
     : form == NONBLOCKING ? MPI_##iname(__VA_ARGS__, request)      \
                           : INIT_CALL(name)(__VA_ARGS__, MPI_INFO_NULL, request))

/* Returns the form of calls in which MPI refuses NULL for an empty array, or FORMS. Only Open MPI 4.1 refuses NULL. */
static mpi_form_t refused_form(void)
{
    const char *checks = getenv("OMPI_MCA_mpi_param_check");

    return HAS_INIT_CALLS || (checks != NULL && strcmp(checks, "0") == 0) ? FORMS : PERSISTENT;
}

static mpi_side_t copy_arguments(const mpi_side_t *side)
{
    const size_t count = (size_t)side->edges->count;
    mpi_side_t copy;

    side_allocate(&copy, side->edges);
    copy.memory = copy.device = NULL;
    memcpy(copy.counts, side->counts, count * sizeof(int));
    memcpy(copy.displs, side->displs, count * sizeof(int));
    memcpy(copy.offsets, side->offsets, count * sizeof(MPI_Aint));
    for (size_t i = 0; i <= count; i++) {
        MPI_Type_dup(side->types[i], &copy.types[i]);
    }
    return copy;
}

static void overwrite_arguments(mpi_side_t *side)
{
    const size_t count = (size_t)side->edges->count;

    memset(side->counts, 0x55, count * sizeof(int));
    memset(side->displs, 0x55, count * sizeof(int));
    memset(side->offsets, 0x55, count * sizeof(MPI_Aint));
    side_fini(side);
}

static void free_arguments(mpi_call_t *call)
{
    for (int i = 0; i < 2 && call->arguments[i].edges != NULL; i++) {
        side_fini(&call->arguments[i]);
        call->arguments[i].edges = NULL;
    }
}

/*
 * Keeps or overwrites the arguments after MPI has returned. Open MPI may read the arrays of MPI_Ialltoallw and
 * MPI_Alltoallw_init later. Open MPI 4.1 may also use freed datatypes of a persistent request.
 */
static void keep_arguments(mpi_call_t *call, mpi_side_t *in, mpi_side_t *out, mpi_form_t form)
{
    free_arguments(call);
    if (form == BLOCKING || (mpi_job_is_named() && call->spec.kind->layout != EACH)) {
        overwrite_arguments(in);
        overwrite_arguments(out);
    } else {
        call->arguments[0] = *in;
        call->arguments[1] = *out;
    }
}

static int call_mpi(mpi_call_t *call, mpi_form_t form)
{
    const mpi_kind_t *kind = call->spec.kind;
    const mpi_side_t *recv = &call->recv, *send = kind->in_place ? recv : &call->send;
    mpi_side_t in = copy_arguments(recv), out = copy_arguments(send);
    const void *input = kind->in_place ? MPI_IN_PLACE : base_of(send);
    void *output = base_of(recv);
    const MPI_Comm comm = call->comm;
    const MPI_Datatype stype = out.types[out.edges->count], rtype = in.types[in.edges->count];
    MPI_Request *request = &call->request;
    int result;

    if (kind->neighbors) {
        result = kind->layout == UNIFORM   ? FORM(Neighbor_alltoall, Ineighbor_alltoall, U_ARGUMENTS)
                 : kind->layout == VECTORS ? FORM(Neighbor_alltoallv, Ineighbor_alltoallv, V_ARGUMENTS)
                                           : FORM(Neighbor_alltoallw, Ineighbor_alltoallw, N_ARGUMENTS);
    } else {
        result = kind->layout == UNIFORM   ? FORM(Alltoall, Ialltoall, U_ARGUMENTS)
                 : kind->layout == VECTORS ? FORM(Alltoallv, Ialltoallv, V_ARGUMENTS)
                                           : FORM(Alltoallw, Ialltoallw, W_ARGUMENTS);
    }
    if (result != MPI_SUCCESS) {
        call->request = MPI_REQUEST_NULL;
    }
    keep_arguments(call, &in, &out, form);
    return result;
}

/* Stores a result unless an earlier result was an error. Returns the stored result. */
static int keep(mpi_call_t *call, int result)
{
    call->result = call->result != MPI_SUCCESS ? call->result : result;
    return call->result;
}

int mpi_call_request(mpi_call_t *call)
{
    return call->request == MPI_REQUEST_NULL ? keep(call, call_mpi(call, PERSISTENT)) : call->result;
}

int mpi_call_start(mpi_call_t *call, mpi_form_t form)
{
    if (form != PERSISTENT) {
        return keep(call, call_mpi(call, form));
    }
    mpi_call_request(call);
    return call->request != MPI_REQUEST_NULL ? keep(call, MPI_Start(&call->request)) : call->result;
}

int mpi_call_wait(mpi_call_t *call)
{
    return call->request != MPI_REQUEST_NULL ? keep(call, MPI_Wait(&call->request, MPI_STATUS_IGNORE)) : call->result;
}

void mpi_call_fini(mpi_call_t *call)
{
    if (call->request != MPI_REQUEST_NULL) {
        MPI_Request_free(&call->request);
    }
    free_arguments(call);
    free(call->expected);
    side_fini(&call->recv);
    side_fini(&call->send);
}

int mpi_call_on(MPI_Comm comm, int kind, mpi_form_t form, int integers, uint64_t seed)
{
    mpi_spec_t spec = mpi_spec_plain(kind, mpi_count_most, 0, seed);
    mpi_pair_t pair;
    mpi_call_t call;
    int right, class;

    spec.most = integers;
    mpi_pair_wrap(&pair, comm);
    mpi_call_init(&call, &pair, &spec);
    right = mpi_call_once(&call, form);
    class = mpi_test_class(call.result);
    mpi_call_fini(&call);
    mpi_pair_fini(&pair);
    return right || class != MPI_SUCCESS ? class : -1;
}

int mpi_call_works(MPI_Comm comm)
{
    return mpi_call_on(comm, ALLTOALLV, BLOCKING, 1, 0) == MPI_SUCCESS;
}

int mpi_call_breaks_host(const mpi_pair_t *pair, const mpi_kind_t *kind)
{
    return pair->has_neighbors && !kind->neighbors && kind->layout == EACH;
}

void mpi_call_meet(const mpi_pair_t *pair)
{
    for (int kind = 0; kind < (pair->has_neighbors ? KINDS : DENSE_KINDS); kind++) {
        const mpi_spec_t spec = mpi_spec_plain(kind, mpi_shapes[ONE], 0, (uint64_t)kind);
        mpi_call_t call;

        if (!spec.kind->in_place && !mpi_call_breaks_host(pair, spec.kind)) {
            mpi_call_init(&call, pair, &spec);
            (void)mpi_call_once(&call, NONBLOCKING);
            mpi_call_fini(&call);
        }
    }
}

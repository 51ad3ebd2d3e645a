/*
 * mpi_call.h - the model of the MPI tests: one call of the all-to-all family.
 *
 * A call is a collective, on a communicator (mpi_edges.h), with a pattern of counts and with datatypes (mpi_types.h).
 * A program can fill it with new contents, make it in each form (blocking, nonblocking, persistent), and compare it.
 *
 * The contents of a block are a function of its sender, its receiver, its edge, the call and the fill. A rank therefore
 * computes each byte that it must receive, by MPI_Unpack into a copy of its memory, without messages. A comparison
 * covers whole buffers, including gaps. mpi_call_agrees verifies the model by point-to-point messages.
 */
#ifndef MPI_CALL_H
#define MPI_CALL_H

#include "mpi_edges.h"
#include "mpi_types.h"

typedef enum mpi_form { BLOCKING, NONBLOCKING, PERSISTENT, FORMS } mpi_form_t;

/* How a collective describes its blocks: one count for all blocks, a count per block, or also a datatype per block. */
typedef enum mpi_layout { UNIFORM, VECTORS, EACH } mpi_layout_t;

typedef struct mpi_kind {
    const char  *name;
    mpi_layout_t layout;
    int          neighbors, in_place;
} mpi_kind_t;

enum {
    ALLTOALL, ALLTOALL_IN_PLACE, ALLTOALLV, ALLTOALLV_IN_PLACE, ALLTOALLW, ALLTOALLW_IN_PLACE, DENSE_KINDS,
    NEIGHBOR_ALLTOALL = DENSE_KINDS, NEIGHBOR_ALLTOALLV, NEIGHBOR_ALLTOALLW, KINDS
};

extern const mpi_kind_t mpi_kinds[KINDS];
extern const char *const mpi_forms[FORMS];

typedef struct mpi_spec mpi_spec_t;

/*
 * Returns the number of elements from one rank to another rank by an edge. The result depends only on the arguments,
 * because both ends call the function.
 */
typedef int (*mpi_counts_t)(const mpi_spec_t *spec, int from, int to, int edge);

/* All parameters of a call that ranks must agree on. */
struct mpi_spec {
    const mpi_kind_t *kind;
    mpi_counts_t      counts;
    MPI_Datatype      base;      /* basic datatype of an element */
    int               items;
    int               pieces;    /* number of runs of an element's items; negative: runs in random slots; 0: random
                                    datatypes */
    int               room;      /* blocks in order, `room` elements apart; 0: in any order, with gaps */
    int               most;      /* largest number of elements of a block */
    uint64_t          seed;
};

/* The patterns of counts that all collectives support; the last one has a block of megabytes. */
enum { ZERO, ONE, RANDOM, SPARSE, ROW, COLUMN, LARGE, SHAPES };

extern const mpi_counts_t mpi_shapes[SHAPES];

/* Returns a random number that both ends of an edge compute alike. */
uint64_t mpi_call_hash(uint64_t seed, int from, int to, int edge);

/* Returns spec->most. This is the pattern in which all blocks have equal counts. */
int mpi_count_most(const mpi_spec_t *spec, int from, int to, int edge);

/* One side of a call: a block for each edge, at offsets in bytes, or at displacements in the form of the call. */
typedef struct mpi_side {
    const mpi_edges_t *edges;
    int               *counts, *displs;
    MPI_Aint          *offsets;
    MPI_Datatype      *types;    /* one datatype per edge, then the datatype that all edges share if the collective has
                                    only one */
    int                each;     /* number of elements of each block, if all blocks are equal */
    size_t             bytes;
    char              *memory, *base;
    char              *device;   /* for MPI: device memory, with room around a copy of `memory`; NULL: no copy */
} mpi_side_t;

typedef struct mpi_call {
    mpi_spec_t        spec;
    const mpi_pair_t *pair;
    MPI_Comm          comm;       /* communicator of the pair, unless the program sets another communicator */
    mpi_side_t        send, recv;
    mpi_side_t        arguments[2];   /* arrays that MPI may still read */
    char             *expected;   /* expected memory of the receive side */
    uint64_t          fills;
    MPI_Request       request;
    int               result;     /* the first error since the last fill */
} mpi_call_t;

/* Returns a spec of random types and counts for `kind`; it is the same on all ranks for one state. */
mpi_spec_t mpi_spec_random(int kind, int shape, uint64_t *state);

/* Returns a spec of integers without gaps in elements, whose blocks lie `room` elements apart. */
mpi_spec_t mpi_spec_plain(int kind, mpi_counts_t counts, int room, uint64_t seed);

/* Initialises a call.  The pair must outlive it. */
void mpi_call_init(mpi_call_t *call, const mpi_pair_t *pair, const mpi_spec_t *spec);

/* Initialises a call of MPI_Alltoallv with blocks of integers of a shape, in any order with gaps between them. */
void mpi_call_init_plain(mpi_call_t *call, const mpi_pair_t *pair, int shape, uint64_t *state);

/* Releases a call, with its persistent request. */
void mpi_call_fini(mpi_call_t *call);

/* Fills the call with new contents. All ranks must call this function equally often. */
void mpi_call_fill(mpi_call_t *call);

/*
 * Makes a blocking call, or starts a call of another form. The first start of a persistent call creates the request. If
 * coll/irr serves MPI_Ialltoallv, the function overwrites the arrays and frees the datatypes when MPI has returned,
 * like programs that rely on Open MPI. Returns an error code.
 */
int mpi_call_start(mpi_call_t *call, mpi_form_t form);

/* Creates the persistent request only. */
int mpi_call_request(mpi_call_t *call);

/* Waits if the call has a request. Returns the first error since the last fill. */
int mpi_call_wait(mpi_call_t *call);

/* Returns true if every byte is right, gaps included. */
int mpi_call_is_right(const mpi_call_t *call);

/* Returns true if the bytes outside of all receive blocks are unchanged. */
int mpi_call_is_intact(const mpi_call_t *call);

/* Fills the call, makes it, and waits for it.  Returns true if it succeeded with every byte right. */
int mpi_call_once(mpi_call_t *call, mpi_form_t form);

/*
 * Makes one call without neighbours on a communicator of the program, with `integers` integers for each member.
 * Returns the class of the error, or -1 if a byte is wrong.
 */
int mpi_call_on(MPI_Comm comm, int kind, mpi_form_t form, int integers, uint64_t seed);

/* Returns true if an MPI_Alltoallv of one integer for each member succeeds with every byte right. */
int mpi_call_works(MPI_Comm comm);

/* Returns true if point-to-point messages on the plain communicator bring the expected contents. */
int mpi_call_agrees(const mpi_call_t *call);

/* Returns true if MPI passes the call to a component. Open MPI itself completes blocking calls without any data. */
int mpi_call_is_served(const mpi_call_t *call, mpi_form_t form);

/*
 * Makes the first nonblocking call of each collective on the communicator, which Open MPI serves. The calls have equal
 * blocks for two reasons. Open MPI 4.1 fails or delivers wrong bytes if blocks of different lengths go to neighbours.
 * It also breaks later calls if a rank has no data to exchange in place.
 */
void mpi_call_meet(const mpi_pair_t *pair);

/*
 * Returns true if Open MPI 4.1 retains a wrong number of datatypes of the call: one datatype for each neighbour instead
 * of one datatype for each rank.
 */
int mpi_call_breaks_host(const mpi_pair_t *pair, const mpi_kind_t *kind);

#endif

/*
 * mpi_call.h - the model of the MPI tests: one call of the all-to-all family.
 *
 * A call is a collective, on a communicator (mpi_edges.h), with a pattern of counts and with datatypes (mpi_types.h).
 * It can be filled with new contents, made in each form (blocking, nonblocking, persistent), and compared.
 *
 * What a block contains is a function of its sender, its receiver, its edge, the call and the fill.  So a rank knows
 * each byte that it must receive, from MPI_Unpack into a copy of its memory; no message is needed.  Whole buffers are
 * compared, gaps included.  mpi_call_agrees proves this by point-to-point messages.
 */
#ifndef MPI_CALL_H
#define MPI_CALL_H

#include "mpi_edges.h"
#include "mpi_types.h"

typedef enum mpi_form { BLOCKING, NONBLOCKING, PERSISTENT, FORMS } mpi_form_t;

/* How the blocks of a collective are described: alike, by counts, or by counts and datatypes. */
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

/* Elements from one rank to another, by an edge; a function of its arguments, because both ends call it. */
typedef int (*mpi_counts_t)(const mpi_spec_t *spec, int from, int to, int edge);

/* All that ranks must agree on to make a call. */
struct mpi_spec {
    const mpi_kind_t *kind;
    mpi_counts_t      counts;
    MPI_Datatype      base;      /* an element has so many items of it: */
    int               items;
    int               pieces;    /* in so many runs, or (negative) in runs in random slots; 0: in random datatypes */
    int               room;      /* blocks are in their order, so many elements apart; 0: in any order, with gaps */
    int               most;      /* elements of a block, for the counts */
    uint64_t          seed;
};

/* The patterns of counts that all collectives take; the last one has a block of megabytes. */
enum { ZERO, ONE, RANDOM, SPARSE, ROW, COLUMN, LARGE, SHAPES };

extern const mpi_counts_t mpi_shapes[SHAPES];

/* A random number that both ends of an edge know. */
uint64_t mpi_call_hash(uint64_t seed, int from, int to, int edge);

/* One more: all blocks have spec.most elements. */
int mpi_count_most(const mpi_spec_t *spec, int from, int to, int edge);

/* One side: a block for each edge, at offsets in bytes, or displacements as the call wants them. */
typedef struct mpi_side {
    const mpi_edges_t *edges;
    int               *counts, *displs;
    MPI_Aint          *offsets;
    MPI_Datatype      *types;    /* and behind them one for all edges, which is theirs unless each has its own */
    int                each;     /* elements of each block, where all are alike */
    size_t             bytes;
    char              *memory, *base;
} mpi_side_t;

typedef struct mpi_call {
    mpi_spec_t        spec;
    const mpi_pair_t *pair;
    MPI_Comm          comm;       /* that of the pair, unless the program sets another one */
    mpi_side_t        send, recv;
    mpi_side_t        arguments[2];   /* arrays that MPI may still read */
    char             *expected;   /* memory of the receiving side */
    uint64_t          fills;
    MPI_Request       request;
    int               result;     /* the first error of what was called since the last fill */
} mpi_call_t;

/* A spec of random types and counts, for `kind`; the same on all ranks for one state. */
mpi_spec_t mpi_spec_random(int kind, int shape, uint64_t *state);

/* One of integers without gaps in elements, for which blocks lie `room` elements apart. */
mpi_spec_t mpi_spec_plain(int kind, mpi_counts_t counts, int room, uint64_t seed);

/* The pair must outlive the call. */
void mpi_call_init(mpi_call_t *call, const mpi_pair_t *pair, const mpi_spec_t *spec);

/* The same of MPI_Alltoallv, with blocks of integers of a shape, in any order with gaps between them. */
void mpi_call_init_plain(mpi_call_t *call, const mpi_pair_t *pair, int shape, uint64_t *state);

/* Frees a persistent request, too. */
void mpi_call_fini(mpi_call_t *call);

/* New contents, on all ranks equally often. */
void mpi_call_fill(mpi_call_t *call);

/*
 * Makes a blocking call; or starts one, for which a persistent request is made the first time.  Once MPI has returned,
 * the arrays of MPI_Ialltoallv are overwritten and its datatypes freed if coll/irr serves it, as programs do that rely
 * on Open MPI.  Returns an error code.
 */
int mpi_call_start(mpi_call_t *call, mpi_form_t form);

/* Makes the persistent request only. */
int mpi_call_request(mpi_call_t *call);

/* Waits if there is a request; returns the first error since the fill. */
int mpi_call_wait(mpi_call_t *call);

/* Every byte, gaps included. */
int mpi_call_is_right(const mpi_call_t *call);

/* The bytes that no block of the receiving side has are as they were. */
int mpi_call_is_intact(const mpi_call_t *call);

/* Fills, makes the call, and waits for it; returns whether it succeeded with every byte right. */
int mpi_call_once(mpi_call_t *call, mpi_form_t form);

/*
 * One call without neighbours on a communicator of the program's, of so many integers for each member.  Returns the
 * class of the error, or -1 if a byte is wrong.
 */
int mpi_call_on(MPI_Comm comm, int kind, mpi_form_t form, int integers, uint64_t seed);

/* One MPI_Alltoallv of an integer each succeeds with every byte right. */
int mpi_call_works(MPI_Comm comm);

/* Point-to-point messages on the plain communicator bring what is expected. */
int mpi_call_agrees(const mpi_call_t *call);

/* MPI hands the call on to a component: Open MPI does not if all blocks of a blocking one are empty. */
int mpi_call_is_served(const mpi_call_t *call, mpi_form_t form);

/*
 * Makes the first nonblocking call of each collective on the communicator, which Open MPI serves.  Open MPI 4.1 fails
 * or brings wrong bytes where blocks of different lengths go to neighbours, and breaks later calls where one rank has
 * nothing to exchange in place.  So these calls have equal blocks.
 */
void mpi_call_meet(const mpi_pair_t *pair);

/* Open MPI 4.1 retains as many datatypes of the call as there are neighbours: more, or less, than there are ranks. */
int mpi_call_breaks_host(const mpi_pair_t *pair, const mpi_kind_t *kind);

#endif

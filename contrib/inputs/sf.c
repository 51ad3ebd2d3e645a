/*
 * sf.c - random exchanges of PETSc's star forests, with values that every rank can check.
 *
 *     mpicc -O2 -o sf sf.c $(pkg-config --cflags --libs PETSc) && mpirun -np 4 sf -sf_type neighbor
 *
 * A star forest of the type neighbor calls MPI_Ineighbor_alltoallv.  Exit status 1: a value is wrong.
 */
#include <petscsf.h>

enum { ROUNDS = 30, EXCHANGES = 5, ROOTS_MIN = 40 };

typedef struct forest {
    PetscSF      sf;
    PetscMPIInt  rank;
    PetscInt     roots, leaves;
    PetscSFNode *remote;
} forest_t;

static PetscErrorCode forest_create(int round, forest_t *forest)
{
    PetscMPIInt size;

    MPI_Comm_size(PETSC_COMM_WORLD, &size);
    MPI_Comm_rank(PETSC_COMM_WORLD, &forest->rank);
    forest->roots = ROOTS_MIN + 7 * ((forest->rank + round) % 5);
    forest->leaves = 25 + 11 * ((forest->rank * 3 + round) % 4);
    PetscCall(PetscMalloc1(forest->leaves, &forest->remote));
    for (PetscInt i = 0; i < forest->leaves; i++) {
        const unsigned hash = (unsigned)(forest->rank * 7919 + i * 104729 + round * 31337) * 2654435761u;

        forest->remote[i].rank = (PetscMPIInt)((hash >> 8) % (unsigned)size);
        forest->remote[i].index = (PetscInt)((hash >> 20) % ROOTS_MIN);
    }
    PetscCall(PetscSFCreate(PETSC_COMM_WORLD, &forest->sf));
    PetscCall(PetscSFSetFromOptions(forest->sf));
    PetscCall(PetscSFSetGraph(forest->sf, forest->roots, forest->leaves, NULL, PETSC_COPY_VALUES, forest->remote,
                              PETSC_COPY_VALUES));
    PetscCall(PetscSFSetUp(forest->sf));
    return 0;
}

/* Sends values from roots to leaves, then a 1 from each leaf back.  The sum at a root must be its number of leaves. */
static PetscErrorCode exchange(const forest_t *forest, int number, int *wrong)
{
    const PetscInt *degrees;
    PetscScalar *roots, *leaves, *sums;

    PetscCall(PetscCalloc3(forest->roots, &roots, forest->leaves, &leaves, forest->roots, &sums));
    for (PetscInt i = 0; i < forest->roots; i++) {
        roots[i] = forest->rank * 1000 + i + number * 100000;
    }
    PetscCall(PetscSFBcastBegin(forest->sf, MPIU_SCALAR, roots, leaves, MPI_REPLACE));
    PetscCall(PetscSFBcastEnd(forest->sf, MPIU_SCALAR, roots, leaves, MPI_REPLACE));
    for (PetscInt i = 0; i < forest->leaves; i++) {
        *wrong += leaves[i] != forest->remote[i].rank * 1000 + forest->remote[i].index + number * 100000;
        leaves[i] = 1;
    }
    PetscCall(PetscSFReduceBegin(forest->sf, MPIU_SCALAR, leaves, sums, MPI_SUM));
    PetscCall(PetscSFReduceEnd(forest->sf, MPIU_SCALAR, leaves, sums, MPI_SUM));
    PetscCall(PetscSFComputeDegreeBegin(forest->sf, &degrees));
    PetscCall(PetscSFComputeDegreeEnd(forest->sf, &degrees));
    for (PetscInt i = 0; i < forest->roots; i++) {
        *wrong += sums[i] != degrees[i];
    }
    PetscCall(PetscFree3(roots, leaves, sums));
    return 0;
}

int main(int argc, char **argv)
{
    forest_t forest;
    int wrong = 0;

    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    for (int round = 0; round < ROUNDS; round++) {
        PetscCall(forest_create(round, &forest));
        for (int i = 0; i < EXCHANGES; i++) {
            PetscCall(exchange(&forest, i, &wrong));
        }
        PetscCall(PetscFree(forest.remote));
        PetscCall(PetscSFDestroy(&forest.sf));
    }
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, PETSC_COMM_WORLD);
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%d values are wrong\n", wrong));
    PetscCall(PetscFinalize());
    return wrong != 0;
}

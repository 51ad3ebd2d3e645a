/*
 * mpi_test.h - common parts of the MPI test programs: checks, random numbers, communicators with info keys, a check
 * that coll/irr served, and a main function that runs the cases of a table.
 *
 *     PROGRAM CASE[:NUMBER] [KEY=VALUE ...] [, CASE ...]
 *
 * The communicators of coll/irr get the keys. Two keys are for the program: with served=yes coll/irr must have served
 * an exchange of this case, and with served=no it must not have served any exchange. A comma ends a case. The start of
 * a job takes longer than most cases, so scripts give several cases to one job. Rank 0 prints for each case whether it
 * was right on all ranks. A case that hangs is ended by the time limit of its script.
 */
#ifndef MPI_TEST_H
#define MPI_TEST_H

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Open MPI 4.1 has persistent collectives as an extension. */
#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#define INIT_CALL(name) MPI_##name##_init
#define HAS_INIT_CALLS 1
#else
#include <mpi-ext.h>
#define INIT_CALL(name) MPIX_##name##_init
#define HAS_INIT_CALLS 0
#endif
#define ALLTOALLV_INIT INIT_CALL(Alltoallv)

#define CHECK(condition) mpi_test_check((condition), #condition, __FILE__, __LINE__)

/* Counts a failed check.  Prints the first ten of a rank.  Returns the condition. */
int mpi_test_check(int condition, const char *text, const char *file, int line);

/* Returns the number of failed checks of this rank. */
int mpi_test_failures(void);

/* Finalizes MPI. Returns the exit status of main: 0 on all ranks if no check failed on any rank. */
int mpi_test_end(void);

/* ---- cases ---- */

typedef struct mpi_case {
    const char *name;
    void      (*run)(void);
    int         threads;     /* the job needs MPI_THREAD_MULTIPLE */
} mpi_case_t;

/* The job and the running case. */
typedef struct mpi_job {
    const char *program;
    int         rank, ranks;
    int         thread_level;   /* in Open MPI 4.1 MPI_T_init_thread changes what MPI_Query_thread returns */
    int         number;         /* number behind the colon; 0: none */
    char      **keys;
    int         nkeys;
    unsigned long long served;  /* number of served exchanges when the case began */
    int         must_serve;     /* 1: the script has served=yes; 0: served=no; -1: neither */
} mpi_job_t;

extern mpi_job_t mpi_job;

/* Returns the number of the case, or `standard` if the case has no number. */
int mpi_job_number(int standard);

/* Returns true if a key names an algorithm: coll/irr serves all but a communicator's first nonblocking call. */
int mpi_job_is_named(void);

/* Returns the number of exchanges that coll/irr has served on this rank since the case began. */
unsigned long long mpi_job_served(void);

/* The cases of a source file. */
#define MPI_CASES(table, ...) const mpi_case_t table[] = { __VA_ARGS__, { NULL, NULL, 0 } }

extern const mpi_case_t mpi_cases_calls[], mpi_cases_default[], mpi_cases_lanes[], mpi_cases_life[], mpi_cases_mixed[];
extern const mpi_case_t mpi_cases_requests[], mpi_cases_sockets[], mpi_cases_wide[];
extern const mpi_case_t mpi_cases_ends[], mpi_cases_place[], mpi_cases_refused[], mpi_cases_starts[];
extern const mpi_case_t mpi_cases_team[], mpi_cases_wrong[];

/* Runs the cases of the arguments, which are in tables; a NULL ends the list of tables.  Returns the exit status. */
int mpi_test_main(int argc, char **argv, const mpi_case_t *const *tables);

/* The main function of a program with the cases of these tables. */
#define MPI_TEST_MAIN(...)                                                      \
    int main(int argc, char **argv)                                             \
    {                                                                           \
        static const mpi_case_t *const tables[] = { __VA_ARGS__, NULL };        \
                                                                                \
        return mpi_test_main(argc, argv, tables);                               \
    }

/* Calls run for each list of arguments between commas, and prints whether its checks passed. */
void mpi_test_groups(char **arguments, int count, void (*run)(char **group, int length));

/* ---- numbers ---- */

/* Returns a random number (splitmix64), the same on all ranks for the same state. */
uint64_t mpi_test_random(uint64_t *state);

/* Returns a random number from 0 to limit - 1. */
int mpi_test_below(uint64_t *state, int limit);

/* Returns IRR_SEED or a new seed, the same on all ranks; rank 0 prints it. */
uint64_t mpi_test_seed(void);

/* Returns the sum over all ranks of the job. */
int mpi_test_sum(int value);

/* Returns the class of an MPI error. */
int mpi_test_class(int error);

/* ---- coll/irr ---- */

/* Returns a duplicate with info keys, each KEY=VALUE. */
MPI_Comm mpi_test_dup_keys(MPI_Comm comm, char **keys, int nkeys);

/* Returns a duplicate with one info key. */
MPI_Comm mpi_test_dup(MPI_Comm comm, const char *key, const char *value);

/*
 * Opens a performance variable of coll/irr. Returns MPI_T_PVAR_HANDLE_NULL if the variable does not exist. A counter
 * counts from this call on. MPI_T stays open: opening it again would load components of Open MPI again.
 */
MPI_T_pvar_handle mpi_test_pvar_open(const char *name, int class, MPI_T_pvar_session *session);

/* Returns the value of a variable that mpi_test_pvar_open has opened. */
unsigned long long mpi_test_pvar_read(MPI_T_pvar_session session, MPI_T_pvar_handle handle);

/* Returns the number of exchanges that coll/irr has served on this rank since the first call of this function. */
unsigned long long mpi_test_served(void);

#endif

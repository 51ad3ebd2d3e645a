/*
 * sockets.c - how many tcp sockets of this process listen, before and after the first exchange.
 *
 *     mpi_sockets NONE|SOME   what the first exchange may add
 *
 * UCX's tcp transport trusts whoever connects to its listener, so a job on one node must not open any.
 */
#include "mpi_test.h"

#include <dirent.h>
#include <unistd.h>

#define LISTEN_STATE 0x0a

/* Is this inode a listening socket in one of the kernel's tables? */
static int listens(unsigned long inode)
{
    static const char *const tables[] = { "/proc/self/net/tcp", "/proc/self/net/tcp6" };
    char line[512];

    for (int i = 0; i < 2; i++) {
        FILE *table = fopen(tables[i], "r");
        unsigned state;
        unsigned long found;

        while (table != NULL && fgets(line, sizeof(line), table) != NULL) {
            if (sscanf(line, "%*d: %*s %*s %x %*s %*s %*s %*s %*s %lu", &state, &found) == 2 &&
                state == LISTEN_STATE && found == inode) {
                fclose(table);
                return 1;
            }
        }
        if (table != NULL) {
            fclose(table);
        }
    }
    return 0;
}

static int listeners(void)
{
    DIR *folder = opendir("/proc/self/fd");
    struct dirent *entry;
    unsigned long inode;
    char path[300], target[64];
    ssize_t length;
    int count = 0;

    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        snprintf(path, sizeof(path), "/proc/self/fd/%s", entry->d_name);
        length = readlink(path, target, sizeof(target) - 1);
        target[length > 0 ? length : 0] = '\0';
        count += sscanf(target, "socket:[%lu]", &inode) == 1 && listens(inode);
    }
    if (folder != NULL) {
        closedir(folder);
    }
    return count;
}

int main(int argc, char **argv)
{
    int ranks, before, after;
    int *counts, *displs, *in, *out;

    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    counts = calloc((size_t)ranks, sizeof(int));
    displs = calloc((size_t)ranks, sizeof(int));
    in = calloc((size_t)ranks, sizeof(int));
    out = calloc((size_t)ranks, sizeof(int));
    for (int i = 0; i < ranks; i++) {
        counts[i] = 1;
        displs[i] = i;
    }
    mpi_test_served();
    MPI_Barrier(MPI_COMM_WORLD);
    before = listeners();
    MPI_Alltoallv(in, counts, displs, MPI_INT, out, counts, displs, MPI_INT, MPI_COMM_WORLD);
    after = listeners();
    CHECK(mpi_test_served() == 1);
    if (argc > 1 && strcmp(argv[1], "NONE") == 0) {
        CHECK(after == before);
    } else {
        CHECK(after > before);
    }
    free(out);
    free(in);
    free(displs);
    free(counts);
    return mpi_test_end();
}

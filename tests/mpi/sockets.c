/*
 * sockets.c - counts the listening tcp sockets of this process before and after the first exchange.
 *
 * UCX's tcp transport and libfabric's providers over sockets trust every process that connects to their listeners. A
 * job on one node must therefore not open a listener that other nodes can reach.
 */
#include "mpi_call.h"

#include <dirent.h>
#include <unistd.h>

#define LISTEN_STATE 0x0a

/* Returns true for a loopback address in the form of the kernel's tables: 127.0.0.1, or ::1. */
static int is_loopback(const char *address)
{
    return strcmp(address, "0100007F") == 0 || strcmp(address, "00000000000000000000000001000000") == 0;
}

/* Returns true if this inode is a listening socket. With `to_others`, other nodes must be able to reach the socket. */
static int listens(unsigned long inode, int to_others)
{
    static const char *const tables[] = { "/proc/self/net/tcp", "/proc/self/net/tcp6" };
    char line[512], address[40];

    for (int i = 0; i < 2; i++) {
        FILE *table = fopen(tables[i], "r");
        unsigned state;
        unsigned long found;

        while (table != NULL && fgets(line, sizeof(line), table) != NULL) {
            if (sscanf(line, "%*d: %39[0-9A-F]:%*s %*s %x %*s %*s %*s %*s %*s %lu", address, &state, &found) == 3 &&
                state == LISTEN_STATE && found == inode) {
                fclose(table);
                return !to_others || !is_loopback(address);
            }
        }
        if (table != NULL) {
            fclose(table);
        }
    }
    return 0;
}

static int listeners(int to_others)
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
        count += sscanf(target, "socket:[%lu]", &inode) == 1 && listens(inode, to_others);
    }
    if (folder != NULL) {
        closedir(folder);
    }
    return count;
}

/* Makes the first exchange. Returns the number of listeners that it adds. */
static int added(int to_others)
{
    int before;

    MPI_Barrier(MPI_COMM_WORLD);
    before = listeners(to_others);
    CHECK(mpi_call_works(MPI_COMM_WORLD));
    CHECK(mpi_job_served() == 1);
    return listeners(to_others) - before;
}

static void case_no_listener(void) { CHECK(added(0) == 0); }
static void case_local_listeners(void) { CHECK(added(1) == 0); }
static void case_listeners(void) { CHECK(added(0) > 0); }

MPI_CASES(mpi_cases_sockets,
    { "no_listener", case_no_listener, 0 }, { "local_listeners", case_local_listeners, 0 },
    { "listeners", case_listeners, 0 });

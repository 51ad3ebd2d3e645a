/*
 * comm_files.h - what the settings of a communicator name files for: a schedule, and the switches between hosts; and
 * what is told of these elsewhere (comm/switches.h).
 */
#ifndef IRR_COMM_FILES_H
#define IRR_COMM_FILES_H

#include "comm/engine.h"
#include "problem/switch_paths.h"

/* Zeroed is empty. */
typedef struct irr_comm_files {
    irr_schedule_t schedule;   /* for some counts; no ranks: none */
    irr_topology_t topology;   /* no hosts: none */
    int            host;       /* of this rank, there */
    char           path[IRR_SWITCH_PATH_MAX];   /* where no file was read: what this rank was told; empty: nothing, */
    bool           misread;                     /* or what is no path */
    char           reason[640];
} irr_comm_files_t;

/*
 * Local: reads the files that the settings name and the algorithm asks for, unless there is trouble already; params
 * get the trouble and its reason, which lies in files.  May block on the file system.
 */
void irr_comm_files_read(irr_comm_params_t *params, irr_comm_files_t *files);

/*
 * Of a communicator that has been made: rank 0 tells of speeds in the topology file that it doubts, where exchanges go
 * by them, once an engine, as further communicators mostly have the same file.
 */
void irr_comm_files_doubt(irr_comm_t *comm, const irr_comm_params_t *params, const irr_comm_files_t *files);

void irr_comm_files_fini(irr_comm_files_t *files);

/* Where this rank is: equal on those that share a host of the topology, or else a node. */
static inline int irr_comm_files_label(const irr_comm_params_t *params, const irr_comm_files_t *files)
{
    return files->topology.hosts > 0 ? files->host : params->node;
}

#endif

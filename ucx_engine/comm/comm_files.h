/*
 * comm_files.h - the schedule file and the topology file of a communicator. If the settings name no topology file, the
 * environment may name a path through switches instead (comm/switches.h).
 */
#ifndef IRR_COMM_FILES_H
#define IRR_COMM_FILES_H

#include "comm/engine.h"
#include "problem/switch_paths.h"

/* A zeroed object is empty. */
typedef struct irr_comm_files {
    irr_schedule_t schedule;   /* schedule for certain counts; ranks == 0: no schedule */
    irr_topology_t topology;   /* topology; hosts == 0: no topology */
    int            host;       /* host of this rank in the topology */
    char           path[IRR_SWITCH_PATH_MAX];   /* path of this rank from the environment; empty: none */
    bool           misread;                     /* the environment has no valid path */
    char           reason[640];
} irr_comm_files_t;

/*
 * Local. Reads the files that the settings name and the algorithm uses, unless params->trouble is set. On an error sets
 * params->trouble and params->reason, which points into files. May block on the file system.
 */
void irr_comm_files_read(irr_comm_params_t *params, irr_comm_files_t *files);

/*
 * Warns the user of implausible speeds in the topology file if exchanges of a new communicator depend on the speeds.
 * Only rank 0 warns, and only once per engine, because most communicators use the same file.
 */
void irr_comm_files_doubt(irr_comm_t *comm, const irr_comm_params_t *params, const irr_comm_files_t *files);

void irr_comm_files_fini(irr_comm_files_t *files);

/*
 * Returns the label of this rank. Labels are equal on ranks that share a host of the topology, or without a topology, a
 * node.
 */
static inline int irr_comm_files_label(const irr_comm_params_t *params, const irr_comm_files_t *files)
{
    return files->topology.hosts > 0 ? files->host : params->node;
}

#endif

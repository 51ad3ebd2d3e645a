/*
 * coll_irr_settings.c - what a communicator uses, from parameters and the info keys of the same names.
 *
 * Both are texts from outside and go through the same check.  A bad value becomes trouble in the agreement of
 * the first collective: so all ranks leave the communicator to Open MPI, even if one rank alone has the bad
 * value, and one of them tells the user, by a help text that names the value and what is allowed.
 *
 * A setting is a row of one of two tables: names of the engine, or texts with a parser.
 */
#include "coll_irr_settings.h"

#include <stdlib.h>

#define PREFIX MCA_COLL_IRR_PREFIX

#define INFO_KEY " Also an info key of a communicator."

/* What mca_coll_irr_parse_size reads, to be continued by what 0 means. */
#define SIZE_ALLOWED "a whole number, with an optional suffix k, m or g; 0 "

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

/* The rows of the algorithm table, and behind them the previous module. */
static const char *algorithm_name(int i)
{
    const char *name = irr_algorithm_name(i);

    return name == NULL && irr_algorithm_name(i - 1) != NULL ? "host" : name;
}

int mca_coll_irr_algorithm(int i)
{
    return irr_algorithm_name(i) != NULL ? i : MCA_COLL_IRR_HOST;
}

int mca_coll_irr_algorithm_value(int algorithm)
{
    int value = algorithm;

    if (algorithm == MCA_COLL_IRR_HOST) {
        for (value = 0; irr_algorithm_name(value) != NULL; value++) {
        }
    }
    return value;
}

/* auto, and behind it what was built. */
static const char *transport_name(int i)
{
    return i == 0 ? "auto" : irr_transport_name(i - 1);
}

mca_coll_irr_choice_t mca_coll_irr_choices[MCA_COLL_IRR_ALL_CHOICES] = {
    [MCA_COLL_IRR_ALLTOALLV_ALGORITHM] = {
        PREFIX "alltoallv_algorithm", NULL, OPAL_INFO_LVL_3, algorithm_name,
        &mca_coll_irr_component.params.algorithms[MCA_COLL_IRR_ALLTOALLV_ALGORITHM], ""
    },
    [MCA_COLL_IRR_ALLTOALL_ALGORITHM] = {
        PREFIX "alltoall_algorithm",
        "Algorithm for MPI_Alltoall: those of " PREFIX "alltoallv_algorithm." INFO_KEY,
        OPAL_INFO_LVL_3, algorithm_name,
        &mca_coll_irr_component.params.algorithms[MCA_COLL_IRR_ALLTOALL_ALGORITHM], ""
    },
    [MCA_COLL_IRR_NEIGHBOR_ALGORITHM] = {
        PREFIX "neighbor_algorithm",
        "Algorithm for MPI_Neighbor_alltoall, MPI_Neighbor_alltoallv and MPI_Neighbor_alltoallw: those of " PREFIX
        "alltoallv_algorithm." INFO_KEY,
        OPAL_INFO_LVL_3, algorithm_name,
        &mca_coll_irr_component.params.algorithms[MCA_COLL_IRR_NEIGHBOR_ALGORITHM], ""
    },
    [MCA_COLL_IRR_COMPOSE] = {
        PREFIX "compose",
        "How a message of several pieces is sent. auto chooses by number and size of the pieces; iovec hands the "
        "list to the transport; gather copies into the transport's memory, on one node also a message of one "
        "piece; split sends each piece as a message of its own." INFO_KEY,
        OPAL_INFO_LVL_5, irr_compose_name, &mca_coll_irr_component.params.compose, ""
    },
    [MCA_COLL_IRR_OVERLAP] = {
        PREFIX "overlap",
        "How the stages of a store-and-forward route overlap on a rank. pipelined: a message leaves when what "
        "it is made of has arrived; dual: the sends of a stage start when all of the one before arrived; "
        "single: the same, and all sends of the one before are over; blocking: one send at a time, and a "
        "barrier after each stage." INFO_KEY,
        OPAL_INFO_LVL_5, irr_overlap_name, &mca_coll_irr_component.params.overlap, ""
    },
    [MCA_COLL_IRR_PACE] = {
        PREFIX "pace",
        "When a message of a direct or scheduled algorithm may start, besides the window. free: at once, in order; "
        "loose: when this rank has sent and received all of the steps before; grant: when the receiver, which admits "
        "a few senders at a time, has asked for it; sync: when what it would meet on a link has been received, whose "
        "receiver tells; auto: sync with aapc, which between nodes tries others and takes the fastest, "
        "grant with optimal, loose with the other scheduled algorithms, else free." INFO_KEY,
        OPAL_INFO_LVL_5, irr_pacing_name, &mca_coll_irr_component.params.pace, ""
    },
    [MCA_COLL_IRR_HOST_ROUTE] = {
        PREFIX "host_route",
        "With aapc, between nodes that have several ranks. direct: each rank sends to each other "
        "one itself; node: ranks give what they have for a rank elsewhere to the one of their host that serves it, "
        "which sends it in one message, with pace sync or free; auto: node at first; aapc tries both unless the pace "
        "is set." INFO_KEY,
        OPAL_INFO_LVL_5, irr_host_route_name, &mca_coll_irr_component.params.host_route, ""
    },
    [MCA_COLL_IRR_TRANSPORT] = {
        PREFIX "transport",
        "What moves messages between nodes, of what was built. ucx: UCX; ofi: libfabric. auto is ucx, but ofi "
        "where " PREFIX "ofi_provider or " PREFIX "ofi_domain is set and nothing of UCX, and for a job on several "
        "nodes whose only fast devices libfabric alone drives (Slingshot, EFA, Omni-Path), or where UCX was told to "
        "use nothing that leaves a node. " PREFIX "verbose 1 says which, and why. Must be the same on all ranks.",
        OPAL_INFO_LVL_4, transport_name, &mca_coll_irr_component.params.transport, ""
    }
};

#define SECONDS_MAX 1000000000

static bool parse_seconds(const char *text, void *seconds)
{
    size_t value;

    if (!mca_coll_irr_parse_size(text, &value) || value > SECONDS_MAX) {
        return false;
    }
    *(size_t *)seconds = value;
    return true;
}

static mca_coll_irr_text_t texts[] = {
    {
        PREFIX "window_messages", "0",
        "Largest number of messages that a rank has in flight in one exchange. 0 means no limit." INFO_KEY,
        OPAL_INFO_LVL_4, mca_coll_irr_parse_size, SIZE_ALLOWED "means no limit",
        offsetof(mca_coll_irr_settings_t, engine.window_messages), NULL
    }, {
        PREFIX "window_bytes", "0",
        "Largest number of bytes that a rank has in flight in one exchange, with an optional suffix k, m or g; "
        "a longer message goes alone. 0 means no limit." INFO_KEY,
        OPAL_INFO_LVL_4, mca_coll_irr_parse_size, SIZE_ALLOWED "means no limit",
        offsetof(mca_coll_irr_settings_t, engine.window_bytes), NULL
    }, {
        PREFIX "dims", "auto",
        "Columns of the grid of the routes a3, a4, hybrid and multistage, dimension by dimension, as in 8x8, "
        "4x4x4 or 2^6; the last dimension takes what is left. auto lets the route choose." INFO_KEY,
        OPAL_INFO_LVL_4, mca_coll_irr_parse_dims,
        "auto, or at most " TEXT(IRR_DIMS_MAX) " sizes of at least 2, as in 8x8, 4x4x4 or 2^6",
        offsetof(mca_coll_irr_settings_t, engine.dims), NULL
    }, {
        PREFIX "slice_min", TEXT(IRR_SLICE_MIN_DEFAULT),
        "Length in bytes of the shortest slice that a balanced route (a2, a4) cuts, with an optional suffix k, "
        "m or g. 0 means to cut to the byte, as published." INFO_KEY,
        OPAL_INFO_LVL_5, mca_coll_irr_parse_size, SIZE_ALLOWED "means to cut to the byte",
        offsetof(mca_coll_irr_settings_t, engine.slice_min), NULL
    }, {
        PREFIX "direct_bytes", "auto",
        "With hybrid, node: number of bytes from which a message goes directly and not through other ranks, with an "
        "optional suffix k, m or g. 0 means that none does; auto: " TEXT(IRR_DIRECT_DEFAULT) " with hybrid, "
        TEXT(IRR_NODE_DIRECT_DEFAULT) " with node." INFO_KEY,
        OPAL_INFO_LVL_5, mca_coll_irr_parse_auto_size, "auto, or " SIZE_ALLOWED "means that none does",
        offsetof(mca_coll_irr_settings_t, engine.direct_bytes), NULL
    }, {
        PREFIX "ranks_per_node", "0",
        "Number of consecutive ranks of a communicator that count as a node, for routes that ask which ranks "
        "share one: it may be a NUMA domain, or all that is behind a switch. 0 means the nodes that Open MPI "
        "knows." INFO_KEY,
        OPAL_INFO_LVL_6, mca_coll_irr_parse_size, SIZE_ALLOWED "means the nodes that Open MPI knows",
        offsetof(mca_coll_irr_settings_t, ranks_per_node), NULL
    }, {
        PREFIX "grants", "0",
        "With pace grant: number of senders that a receiver admits at a time, and of messages that a rank sends at a "
        "time. 0 means " TEXT(IRR_GRANTS_DEFAULT) ", or more with the short pieces of aapc between nodes."
        INFO_KEY,
        OPAL_INFO_LVL_5, mca_coll_irr_parse_size, SIZE_ALLOWED "means what goes with the pieces",
        offsetof(mca_coll_irr_settings_t, engine.grants), NULL
    }, {
        PREFIX "lead_bytes", "auto",
        "With pace sync: a rank tells those that wait for what it receives so many bytes before the end of it, with an "
        "optional suffix k, m or g. It should be about what the network carries in the time that a process takes to "
        "answer, and less than what a port of a switch can queue. 0 means at the end; auto: aapc between nodes "
        "tries several unless the pace is set, others take " TEXT(IRR_LEAD_DEFAULT) "." INFO_KEY,
        OPAL_INFO_LVL_5, mca_coll_irr_parse_auto_size, "auto, or " SIZE_ALLOWED "means at the end",
        offsetof(mca_coll_irr_settings_t, engine.lead_bytes), NULL
    }, {
        PREFIX "piece_bytes", "auto",
        "With a scheduled algorithm: number of bytes above which a message goes in pieces, one after the other, with "
        "an optional suffix k, m or g. With pace grant it should be less than what a port of a switch can queue. 0 "
        "means no limit; auto: aapc between nodes tries several unless the pace is set, for others there is "
        "no limit." INFO_KEY,
        OPAL_INFO_LVL_5, mca_coll_irr_parse_auto_size, "auto, or " SIZE_ALLOWED "means no limit",
        offsetof(mca_coll_irr_settings_t, engine.piece_bytes), NULL
    }, {
        PREFIX "seed", "1",
        "Seed of the random orders (rs_n, rs_n_sort, rs_nh)." INFO_KEY,
        OPAL_INFO_LVL_6, mca_coll_irr_parse_size, "a whole number, with an optional suffix k, m or g",
        offsetof(mca_coll_irr_settings_t, seed), NULL
    }, {
        PREFIX "lambda", "incremental",
        "With rs_nh: which part of the messages of a step go whole, while longer ones are split. incremental:L grows "
        "from L (0.75 without it) as long as that pays; fixed:L; proportional:F, F times the messages that a rank "
        "has left; search tries several fixed ones and takes the best; one splits nothing."
        INFO_KEY,
        OPAL_INFO_LVL_5, mca_coll_irr_parse_lambda,
        "incremental, incremental:L, fixed:L, proportional:F, search or one; L above 0 and at most 1, F at most 100",
        offsetof(mca_coll_irr_settings_t, engine.scheduled.lambda), NULL
    }, {
        PREFIX "latency_bytes", TEXT(IRR_LATENCY_DEFAULT),
        "With rs_nh: number of bytes that a rank could send in the time that a message takes to start, with an "
        "optional suffix k, m or g. irr_tune measures what it follows from." INFO_KEY,
        OPAL_INFO_LVL_5, mca_coll_irr_parse_size, "a whole number, with an optional suffix k, m or g",
        offsetof(mca_coll_irr_settings_t, latency), NULL
    }, {
        PREFIX "max_steps", "0",
        "With optimal and aapc: number of steps from which on the schedule is coarsened, so that it is somewhat "
        "longer than the bytes of the busiest rank, or link. Fewer steps than it has messages, one after the other, "
        "cannot be had. 0 means no limit." INFO_KEY,
        OPAL_INFO_LVL_5, mca_coll_irr_parse_steps, "a whole number up to 2147483647; 0 means no limit",
        offsetof(mca_coll_irr_settings_t, engine.scheduled.max_steps), NULL
    }, {
        PREFIX "lp_shift", "0",
        "With lp: 1 means that in step k rank i sends to i + k for powers of two too, where 0 means to i xor k."
        INFO_KEY,
        OPAL_INFO_LVL_6, mca_coll_irr_parse_switch, "0 or 1",
        offsetof(mca_coll_irr_settings_t, engine.scheduled.shift), NULL
    }, {
        PREFIX "redistribution", "none",
        "With redist: the redistribution of an array that the exchange does, as x,p,y,q: from blocks of x elements "
        "in turn on p ranks to blocks of y elements in turn on q ranks." INFO_KEY,
        OPAL_INFO_LVL_5, mca_coll_irr_parse_redistribution, "none, or x,p,y,q, all from 1 on",
        offsetof(mca_coll_irr_settings_t, engine.scheduled.redistribution), NULL
    }, {
        PREFIX "matrix_max_bytes", "64m",
        "Number of bytes of memory for the count matrix, on rank 0, with an optional suffix k, m or g. Above it, "
        "which is from 2897 ranks on by default, an algorithm that needs the matrix does as a1. 0 means no limit."
        INFO_KEY,
        OPAL_INFO_LVL_5, mca_coll_irr_parse_size, SIZE_ALLOWED "means no limit",
        offsetof(mca_coll_irr_settings_t, engine.matrix_max_bytes), NULL
    }, {
        PREFIX "schedule_ms", "1000",
        "Number of milliseconds that rank 0 may take to compute the schedules for counts that are new, while all ranks "
        "wait; if they are not done, exchanges with these counts go without. 0 means no limit." INFO_KEY,
        OPAL_INFO_LVL_5, mca_coll_irr_parse_size, SIZE_ALLOWED "means no limit",
        offsetof(mca_coll_irr_settings_t, engine.schedule_ms), NULL
    }, {
        PREFIX "cache_bytes", "16m",
        "Number of bytes of the schedules that a communicator keeps on each rank, with an optional suffix k, m or g; "
        "the latest one, and at most seven, are kept in any case. 0 means no limit." INFO_KEY,
        OPAL_INFO_LVL_5, mca_coll_irr_parse_size, SIZE_ALLOWED "means no limit",
        offsetof(mca_coll_irr_settings_t, engine.cache_bytes), NULL
    }, {
        PREFIX "shm", "1",
        "1 means that ranks of a node send to each other through shared memory of coll/irr's own, if all ranks of the "
        "communicator can map that of the others on their node. 0 means that the network (" PREFIX "transport) carries "
        "these messages, too." INFO_KEY,
        OPAL_INFO_LVL_4, mca_coll_irr_parse_switch, "0 or 1",
        offsetof(mca_coll_irr_settings_t, engine.shm), NULL
    }, {
        PREFIX "timeout", "0",
        "Number of seconds after which an exchange that is not over ends in an error on all ranks, and so do all that "
        "follow on the communicator; a text names the rank that was waited for. It holds as well for what the ranks "
        "agree on, from the first call of a communicator on, also with auto; not for exchanges that Open MPI serves, "
        "which wait for ever. 0 means to wait for ever." INFO_KEY,
        OPAL_INFO_LVL_4, parse_seconds,
        "a whole number of seconds up to " TEXT(SECONDS_MAX) "; 0 means to wait for ever",
        offsetof(mca_coll_irr_settings_t, engine.timeout), NULL
    }, {
        PREFIX "schedule_file", "",
        "File with a schedule that irr_plan --save has written. Exchanges with its counts go by it and need no count "
        "matrix; others, and communicators of another size, go as if there were none, but where auto would be Open "
        "MPI's own it is a1." INFO_KEY,
        OPAL_INFO_LVL_5, mca_coll_irr_parse_path, "the name of a file",
        offsetof(mca_coll_irr_settings_t, schedule_file), NULL
    }, {
        PREFIX "topology_file", "",
        "File with the switches between the hosts, in the syntax of Slurm's topology.conf, for the algorithm aapc, and "
        "where auto tries it. A host that it lacks leaves the communicator to Open MPI. Without a file Slurm is asked, "
        "and else all hosts are taken to be at one switch."
        INFO_KEY,
        OPAL_INFO_LVL_4, mca_coll_irr_parse_path, "the name of a file",
        offsetof(mca_coll_irr_settings_t, topology_file), NULL
    }, {
        PREFIX "matrix_dump", "",
        "Prefix of files for the count matrices of a running application. Rank 0 of each communicator writes a file "
        "of Matrix Market format, PREFIX.R-C.K.N.mtx, for each new matrix, and an index, PREFIX.R-C.K.index, that "
        "tells how often each came: R is its rank in MPI_COMM_WORLD, C the number that Open MPI gave the "
        "communicator, which it gives to others later, K tells those from each other, and N counts. Costs an "
        "agreement an exchange; where auto would be Open MPI's own it is a1." INFO_KEY,
        OPAL_INFO_LVL_5, mca_coll_irr_parse_path, "the beginning of file names",
        offsetof(mca_coll_irr_settings_t, matrix_dump), NULL
    }
};

enum { TEXTS = sizeof(texts) / sizeof(texts[0]) };

mca_coll_irr_text_t *mca_coll_irr_text_at(int i)
{
    return i >= 0 && i < TEXTS ? &texts[i] : NULL;
}

const char *mca_coll_irr_parameter(mca_coll_irr_which_t which)
{
    return mca_coll_irr_choices[mca_coll_irr_collectives[which].algorithm].parameter;
}

size_t mca_coll_irr_timeout(void)
{
    size_t seconds = 0;

    for (int i = 0; i < TEXTS; i++) {
        if (strcmp(texts[i].parameter, PREFIX "timeout") == 0 && texts[i].value != NULL) {
            (void)parse_seconds(texts[i].value, &seconds);
        }
    }
    return seconds;
}

/* ---- settings of a communicator ---- */

static irr_status_t read_choice(const mca_coll_irr_choice_t *choice, ompi_communicator_t *comm, int *value,
                                mca_coll_irr_bad_t *bad)
{
    char key[OPAL_MAX_INFO_VAL + 1];
    const bool keyed = mca_coll_irr_info_get(comm, choice->parameter, key, sizeof(key));

    *value = keyed ? mca_coll_irr_parse_name(key, choice->name) : *choice->storage;
    if (*value == MCA_COLL_IRR_BAD_NAME) {
        return mca_coll_irr_bad_name(choice->parameter, keyed ? key : choice->bad, keyed, choice->name, bad);
    }
    return IRR_OK;
}

static irr_status_t read_text(const mca_coll_irr_text_t *row, ompi_communicator_t *comm, void *value,
                              mca_coll_irr_bad_t *bad)
{
    char key[OPAL_MAX_INFO_VAL + 1];
    const bool keyed = mca_coll_irr_info_get(comm, row->parameter, key, sizeof(key));
    const char *text = keyed ? key : row->value != NULL ? row->value : row->standard;

    if (!row->parse(text, value)) {
        return mca_coll_irr_bad_value(row->parameter, text, keyed, row->allowed, bad);
    }
    return IRR_OK;
}

/* Where rank 0 writes matrices; NULL: nowhere, and without memory. */
static char *dump_prefix(ompi_communicator_t *comm, const char *prefix)
{
    unsigned rank = (unsigned)ompi_group_get_proc_name(comm->c_local_group, 0).vpid;
    char *made = NULL;

    if (prefix[0] != '\0' && asprintf(&made, "%s.%u-%u", prefix, rank, mca_coll_irr_comm_number(comm)) < 0) {
        made = NULL;
    }
    return made;
}

static irr_status_t read_all(ompi_communicator_t *comm, mca_coll_irr_settings_t *settings, int *chosen,
                             mca_coll_irr_bad_t *bad)
{
    irr_status_t status = mca_coll_irr_process_bad(bad);

    for (int i = 0; i < MCA_COLL_IRR_CHOICES && status == IRR_OK; i++) {
        status = read_choice(&mca_coll_irr_choices[i], comm, &chosen[i], bad);
    }
    for (int i = 0; i < TEXTS && status == IRR_OK; i++) {
        status = read_text(&texts[i], comm, (char *)settings + texts[i].offset, bad);
    }
    return status;
}

const mca_coll_irr_settings_t mca_coll_irr_settings_none;

/*
 * Those of all communicators without info keys where no path is given: to read forty parameters takes a third of what
 * MPI_Comm_dup does.  Guarded by the component's lock.
 */
static mca_coll_irr_settings_t *common;

static void destroy(mca_coll_irr_settings_t *settings)
{
    free(settings->schedule_file);
    free(settings->topology_file);
    free(settings->matrix_dump);
    free(settings);
}

static irr_status_t read_settings(ompi_communicator_t *comm, ompi_communicator_t *keyed,
                                  mca_coll_irr_settings_t *settings, mca_coll_irr_bad_t *bad)
{
    int chosen[MCA_COLL_IRR_CHOICES];
    const irr_status_t status = read_all(keyed, settings, chosen, bad);
    char *prefix;

    if (status != IRR_OK) {
        return status;
    }
    prefix = dump_prefix(comm, settings->matrix_dump);
    free(settings->matrix_dump);
    settings->matrix_dump = prefix;
    for (int i = 0; i < MCA_COLL_IRR_ALGORITHMS; i++) {
        settings->algorithms[i] = mca_coll_irr_algorithm(chosen[i]);
    }
    settings->engine.compose = (irr_compose_t)chosen[MCA_COLL_IRR_COMPOSE];
    settings->engine.overlap = (irr_overlap_t)chosen[MCA_COLL_IRR_OVERLAP];
    settings->engine.pace = (irr_pacing_t)chosen[MCA_COLL_IRR_PACE];
    settings->engine.host_route = (irr_host_route_t)chosen[MCA_COLL_IRR_HOST_ROUTE];
    settings->engine.scheduled.seed = settings->seed;
    settings->engine.scheduled.latency = settings->latency;
    settings->engine.schedule_file = settings->schedule_file;
    settings->engine.topology_file = settings->topology_file;
    settings->engine.matrix_dump = settings->matrix_dump;
    return IRR_OK;
}

static bool has_paths(const mca_coll_irr_settings_t *settings)
{
    return settings->schedule_file[0] != '\0' || settings->topology_file[0] != '\0' || settings->matrix_dump != NULL;
}

/* From now on all have them, unless another thread was faster, and then also this communicator has those. */
static const mca_coll_irr_settings_t *keep_common(mca_coll_irr_settings_t *settings)
{
    opal_mutex_lock(&mca_coll_irr_component.lock);
    if (common == NULL) {
        common = settings;
    } else {
        destroy(settings);
    }
    opal_mutex_unlock(&mca_coll_irr_component.lock);
    return common;
}

irr_status_t mca_coll_irr_settings_take(ompi_communicator_t *comm, ompi_communicator_t *keyed,
                                        const mca_coll_irr_settings_t **settings_p, mca_coll_irr_bad_t **bad_p)
{
    mca_coll_irr_settings_t *made;
    mca_coll_irr_bad_t bad;
    irr_status_t status;

    opal_mutex_lock(&mca_coll_irr_component.lock);
    made = keyed == NULL ? common : NULL;
    opal_mutex_unlock(&mca_coll_irr_component.lock);
    if (made != NULL) {
        *settings_p = made;
        return IRR_OK;
    }
    made = calloc(1, sizeof(*made));
    if (made == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    made->engine = irr_settings_default();
    status = read_settings(comm, keyed, made, &bad);
    if (status != IRR_OK) {
        destroy(made);
        *bad_p = status == IRR_ERR_BAD_PARAM ? malloc(sizeof(bad)) : NULL;
        if (*bad_p != NULL) {
            **bad_p = bad;
        }
        return status;
    }
    *settings_p = keyed == NULL && !has_paths(made) ? keep_common(made) : made;
    return IRR_OK;
}

void mca_coll_irr_settings_give(const mca_coll_irr_settings_t *settings)
{
    if (settings != common && settings != &mca_coll_irr_settings_none) {
        destroy((mca_coll_irr_settings_t *)settings);
    }
}

void mca_coll_irr_settings_close(void)
{
    if (common != NULL) {
        destroy(common);
        common = NULL;
    }
}

/*
 * coll_irr_machine.c - the constants of the machine, by which the model ranks strategies.
 *
 * Each process reads the file of its parameter once.  All ranks of a communicator must rank strategies alike, so the
 * question of whether all choose includes a hash of the constants.  If all hashes are equal, the constants are used,
 * whatever the names of the files are.  Otherwise all ranks use the defaults.  The maxima of all constants and of their
 * complements then determine the message for the user, and the rank that prints it.
 *
 * Cost: two more words in the question; if constants differ, two more reductions.
 */
#include "coll_irr_choose.h"
#include "coll_irr_team.h"

#include "core/hash.h"

#include <stdlib.h>

/* All constants are words. */
enum { CONSTANTS = sizeof(irr_machine_t) / sizeof(uint64_t) };

/* Words of an agreement: the lowest and the highest rank that cannot read its file; largest and smallest values. */
enum { FIRST_BAD, LAST_BAD, MOST, LEAST = MOST + CONSTANTS, WORDS = LEAST + CONSTANTS };

_Static_assert((int)WORDS == (int)MCA_COLL_IRR_MACHINE_WORDS, "there is room for all constants");

/* State of the process; guarded by the component's lock. */
static struct {
    enum { UNREAD, READ, REFUSED } state;
    union {
        irr_machine_t machine;
        uint64_t      words[CONSTANTS];   /* the same constants */
    };
    irr_file_error_t error;    /* the error of state REFUSED */
    bool             warned;   /* some rank has printed the user message */
} mine;

static const char *path(void)
{
    return mca_coll_irr_component.params.machine_file;
}

/* Reads the file without holding the lock, because this may take long; two threads may both read it. */
static void read_once(void)
{
    irr_machine_t machine = IRR_MACHINE_DEFAULT;
    irr_file_error_t error = { .line = 0 };
    bool unread;
    irr_status_t status;

    opal_mutex_lock(&mca_coll_irr_component.lock);
    unread = mine.state == UNREAD;
    opal_mutex_unlock(&mca_coll_irr_component.lock);
    if (!unread) {
        return;
    }
    status = path()[0] != '\0' ? irr_machine_read(path(), &machine, &error) : IRR_OK;
    opal_mutex_lock(&mca_coll_irr_component.lock);
    mine.machine = machine;
    mine.error = error;
    mine.state = status == IRR_OK ? READ : REFUSED;
    opal_mutex_unlock(&mca_coll_irr_component.lock);
}

/* Returns the rank in MPI_COMM_WORLD of a rank. */
static unsigned process_of(const mca_coll_irr_module_t *module, uint64_t rank)
{
    return (unsigned)mca_coll_irr_process(&module->ranks, (int)rank).vpid;
}

/* Local: the lowest rank that cannot read its file prints the message. */
static void report_refused(const mca_coll_irr_module_t *module, uint64_t first, uint64_t last)
{
    char line[32] = "", others[64] = "", text[768];

    if (mine.error.line > 0) {
        snprintf(line, sizeof(line), "line %zu: ", mine.error.line);
    }
    if (last != first) {
        snprintf(others, sizeof(others), ", nor can others, up to rank %u", process_of(module, last));
    }
    snprintf(text, sizeof(text), "coll_irr_machine_file is '%.400s', and rank %u of MPI_COMM_WORLD cannot use it: "
             "%s%s%s; all ranks take the default constants", path(), process_of(module, first), line,
             mine.error.reason, others);
    mca_coll_irr_warn_once("engine-message", text, &mine.warned, first == (uint64_t)module->ranks.rank);
}

void mca_coll_irr_machine_constants(const mca_coll_irr_module_t *module, uint64_t words[MCA_COLL_IRR_MACHINE_WORDS])
{
    const uint64_t ranks = (uint64_t)module->ranks.size, me = (uint64_t)module->ranks.rank;
    const bool refused = mine.state == REFUSED;

    memcpy(&words[MOST], mine.words, sizeof(mine.words));
    words[FIRST_BAD] = refused ? ranks - me : 0;
    words[LAST_BAD] = refused ? me + 1 : 0;
    for (int i = 0; i < CONSTANTS; i++) {
        words[LEAST + i] = ~words[MOST + i];
    }
}

/* Returns the index of the first constant that differs; CONSTANTS: none. */
static int different(const uint64_t *words)
{
    int i = 0;

    while (i < CONSTANTS && words[MOST + i] == ~words[LEAST + i]) {
        i++;
    }
    return i;
}

bool mca_coll_irr_machine_differs(const mca_coll_irr_module_t *module, const uint64_t *words, uint64_t holders[2])
{
    const uint64_t ranks = (uint64_t)module->ranks.size, mark = ranks - (uint64_t)module->ranks.rank;
    const int i = different(words);

    if (words[LAST_BAD] > 0) {
        report_refused(module, ranks - words[FIRST_BAD], words[LAST_BAD] - 1);
        return false;
    }
    if (i == CONSTANTS) {
        return false;
    }
    holders[0] = mine.words[i] == words[MOST + i] ? mark : 0;
    holders[1] = mine.words[i] == ~words[LEAST + i] ? mark : 0;
    return true;
}

void mca_coll_irr_machine_warn(const mca_coll_irr_module_t *module, const uint64_t *words, const uint64_t holders[2])
{
    const uint64_t ranks = (uint64_t)module->ranks.size, me = (uint64_t)module->ranks.rank;
    const int i = different(words), lower = holders[0] > holders[1] ? 0 : 1;
    const uint64_t values[2] = { words[MOST + i], ~words[LEAST + i] };
    char text[768];

    snprintf(text, sizeof(text), "coll_irr_machine_file is '%.400s' on rank %u of MPI_COMM_WORLD, where the constant "
             "%s is %llu; on rank %u it is %llu; it must be the same on all ranks, which take the default constants",
             path(), process_of(module, me), irr_machine_name(i), (unsigned long long)mine.words[i],
             process_of(module, ranks - holders[1 - lower]), (unsigned long long)values[1 - lower]);
    mca_coll_irr_warn_once("engine-message", text, &mine.warned, holders[lower] == ranks - me);
}

void mca_coll_irr_machine_words(uint64_t words[2])
{
    uint64_t hash;

    read_once();
    hash = irr_hash_words(IRR_HASH_BASIS, mine.words, CONSTANTS);
    words[0] = mine.state == REFUSED ? UINT64_MAX : hash;
    words[1] = mine.state == REFUSED ? UINT64_MAX : ~hash;
}

bool mca_coll_irr_machine_take(mca_coll_irr_module_t *module, const uint64_t words[2])
{
    const irr_machine_t standard = IRR_MACHINE_DEFAULT;
    const bool alike = words[0] == ~words[1];

    module->team->machine = alike ? mine.machine : standard;
    opal_output_verbose(module->ranks.rank == 0 ? 10 : 20, mca_coll_irr_component.output,
                        "coll:irr: communicator %s takes the %s constants of the machine", module->comm->c_name,
                        memcmp(&module->team->machine, &standard, sizeof(standard)) == 0 ? "default" : "measured");
    return alike;
}

/*
 * coll_irr_memory.c - the data by which this process chooses a strategy.  The constants of the machine are measured
 * values by which a model estimates the times of strategies.  The lessons are results of trials, which compare times of
 * strategies, from this job and from coll_irr_memory_file.
 *
 * Each process reads the file of constants (coll_irr_machine_file) once.  All ranks of a communicator must get the same
 * estimates, so the first agreement includes a hash of the constants.  If the hashes of all ranks are equal, the ranks
 * use their constants, even if the names of their files differ.  Otherwise all ranks use the default constants.  The
 * maxima of all constants and of their complements then determine the warning, and the rank that prints it.
 *
 * Each process reads the file of lessons before the ranks first list strategies.  Another job may replace the file
 * between the reads of two processes, so ranks may have different lessons.  The ranks therefore agree on common lessons
 * (choose/lessons.h).  Process 0 of the job writes the file, because process 0 is a member of most communicators.  If
 * process 0 cannot use the file, it prints one warning, and does not write the file.  If there is no memory for a new
 * lesson, a process drops the lesson.
 *
 * Cost: two more words in the first agreement; if constants differ, two more reductions.
 */
#include "coll_irr_memory.h"
#include "coll_irr_settings.h"
#include "coll_irr_team.h"

#include "choose/lessons_file.h"
#include "core/clock.h"
#include "core/hash.h"

#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

/* ---- constants of the machine ---- */

/* Number of constants.  Each constant is a word of an agreement. */
enum { CONSTANTS = sizeof(irr_machine_t) / sizeof(uint64_t) };

/*
 * Words of an agreement: the lowest and the highest rank that cannot read its file; the largest and the smallest value
 * of each constant.
 */
enum { FIRST_BAD, LAST_BAD, MOST, LEAST = MOST + CONSTANTS, WORDS = LEAST + CONSTANTS };

_Static_assert((int)WORDS <= (int)MCA_COLL_IRR_REDUCTION_WORDS, "a reduction has room for all constants");

/* State of the process; guarded by the component's lock. */
static struct {
    enum { UNREAD, READ, REFUSED } state;
    union {
        irr_machine_t machine;
        uint64_t      words[CONSTANTS];   /* the same constants */
    };
    irr_file_error_t error;    /* the error of state REFUSED */
    bool             warned;   /* some rank has printed the user message */
} constants;

static const char *machine_file(void)
{
    return mca_coll_irr_component.params.machine_file;
}

/* Reads the file in the first call. */
static void read_constants(void)
{
    const irr_machine_t standard = IRR_MACHINE_DEFAULT;
    irr_status_t status = IRR_OK;

    opal_mutex_lock(&mca_coll_irr_component.lock);
    if (constants.state == UNREAD) {
        constants.machine = standard;
        if (machine_file()[0] != '\0') {
            status = irr_machine_read(machine_file(), &constants.machine, &constants.error);
        }
        constants.state = status == IRR_OK ? READ : REFUSED;
    }
    opal_mutex_unlock(&mca_coll_irr_component.lock);
}

/* Converts a rank of the communicator to a rank of MPI_COMM_WORLD. */
static unsigned process_of(const mca_coll_irr_module_t *module, uint64_t rank)
{
    return (unsigned)mca_coll_irr_process(&module->ranks, (int)rank).vpid;
}

/* Text with the line of a file, if known, and the reason why the component cannot use the file. */
typedef struct cause {
    char text[sizeof(irr_file_error_t) + 32];
} cause_t;

static cause_t cause_of(const irr_file_error_t *error)
{
    cause_t cause;

    if (error->line > 0) {
        snprintf(cause.text, sizeof(cause.text), "line %zu: %s", error->line, error->reason);
    } else {
        snprintf(cause.text, sizeof(cause.text), "%s", error->reason);
    }
    return cause;
}

/* Local: rank `first` warns the user.  `first` is the lowest and `last` the highest rank that cannot read its file. */
static void report_refused(const mca_coll_irr_module_t *module, uint64_t first, uint64_t last)
{
    char others[64] = "";

    if (!mca_coll_irr_warns_first(&constants.warned) || first != (uint64_t)module->ranks.rank) {
        return;
    }
    if (last != first) {
        snprintf(others, sizeof(others), ", nor can others, up to rank %u", process_of(module, last));
    }
    mca_coll_irr_warn("engine-message", "coll_irr_machine_file is '%.400s', and rank %u of MPI_COMM_WORLD cannot use "
                      "it: %s%s; all ranks take the default constants", machine_file(), process_of(module, first),
                      cause_of(&constants.error).text, others);
}

/* Sets the words of this rank: whether it can use its file, its constants, and the complements of the constants. */
static void set_words(const mca_coll_irr_module_t *module, uint64_t words[WORDS])
{
    const uint64_t ranks = (uint64_t)module->ranks.size, me = (uint64_t)module->ranks.rank;
    const bool refused = constants.state == REFUSED;

    memcpy(&words[MOST], constants.words, sizeof(constants.words));
    words[FIRST_BAD] = refused ? ranks - me : 0;
    words[LAST_BAD] = refused ? me + 1 : 0;
    for (int i = 0; i < CONSTANTS; i++) {
        words[LEAST + i] = ~words[MOST + i];
    }
}

/* Returns the index of the first constant that differs between ranks, or CONSTANTS if all are alike. */
static int different(const uint64_t *words)
{
    int i = 0;

    while (i < CONSTANTS && words[MOST + i] == ~words[LEAST + i]) {
        i++;
    }
    return i;
}

/*
 * The step after a reduction that finds the lowest ranks with the largest and with the smallest value of a constant.
 * The lower of the two ranks warns the user.
 */
static irr_status_t take_holders(mca_coll_irr_agreement_t *agreement)
{
    const mca_coll_irr_module_t *module = agreement->module;
    const uint64_t ranks = (uint64_t)module->ranks.size, me = (uint64_t)module->ranks.rank;
    const uint64_t *words = agreement->words, *holders = agreement->holders;
    const int i = different(words), lower = holders[0] > holders[1] ? 0 : 1;
    const uint64_t values[2] = { words[MOST + i], ~words[LEAST + i] };

    if (mca_coll_irr_warns_first(&constants.warned) && holders[lower] == ranks - me) {
        mca_coll_irr_warn("engine-message", "coll_irr_machine_file is '%.400s' on rank %u of MPI_COMM_WORLD, where the "
                          "constant %s is %llu; on rank %u it is %llu; it must be the same on all ranks, which take "
                          "the default constants", machine_file(), process_of(module, me), irr_machine_name(i),
                          (unsigned long long)constants.words[i], process_of(module, ranks - holders[1 - lower]),
                          (unsigned long long)values[1 - lower]);
    }
    return agreement->then(agreement);
}

static irr_status_t take_constants(mca_coll_irr_agreement_t *agreement)
{
    const mca_coll_irr_module_t *module = agreement->module;
    const uint64_t ranks = (uint64_t)module->ranks.size, mark = ranks - (uint64_t)module->ranks.rank;
    const uint64_t *words = agreement->words;
    const int i = different(words);

    if (words[LAST_BAD] > 0) {
        report_refused(module, ranks - words[FIRST_BAD], words[LAST_BAD] - 1);
    }
    if (words[LAST_BAD] > 0 || i == CONSTANTS) {
        return agreement->then(agreement);
    }
    agreement->holders[0] = constants.words[i] == words[MOST + i] ? mark : 0;
    agreement->holders[1] = constants.words[i] == ~words[LEAST + i] ? mark : 0;
    return mca_coll_irr_agreement_reduce(agreement, agreement->holders, 2, take_holders);
}

void mca_coll_irr_machine_words(uint64_t words[2])
{
    uint64_t hash;

    read_constants();
    hash = irr_hash_words(IRR_HASH_BASIS, constants.words, CONSTANTS);
    words[0] = constants.state == REFUSED ? UINT64_MAX : hash;
    words[1] = constants.state == REFUSED ? UINT64_MAX : ~hash;
}

irr_status_t mca_coll_irr_machine_begin(mca_coll_irr_agreement_t *agreement, const uint64_t words[2],
                                        mca_coll_irr_step_t then)
{
    const irr_machine_t standard = IRR_MACHINE_DEFAULT;
    mca_coll_irr_module_t *module = agreement->module;
    const bool alike = words[0] == ~words[1];

    module->team->machine = alike ? constants.machine : standard;
    opal_output_verbose(module->ranks.rank == 0 ? 10 : 20, mca_coll_irr_component.output,
                        "coll:irr: communicator %s takes the %s constants of the machine", module->comm->c_name,
                        memcmp(&module->team->machine, &standard, sizeof(standard)) == 0 ? "default" : "measured");
    agreement->then = then;
    if (alike) {
        return then(agreement);
    }
    set_words(module, agreement->words);
    return mca_coll_irr_agreement_reduce(agreement, agreement->words, WORDS, take_constants);
}

/* ---- lessons ---- */

/* The longest time that process 0 waits for the lock of the file, and its pause between two attempts. */
#define WAIT_NS  UINT64_C(2000000000)
#define PAUSE_US 2000

/* State of the process; guarded by the component's lock. */
static struct {
    bool         read;
    bool         refused;   /* the file is unusable */
    irr_lessons_t known;     /* lessons of the file and of this job */
    irr_lessons_t learnt;    /* lessons of this job alone */
} lessons;

static const char *memory_file(void)
{
    return mca_coll_irr_component.params.memory_file;
}

bool mca_coll_irr_memory_is_given(void)
{
    return memory_file()[0] != '\0';
}

/* Writes a text that describes this machine; lessons of other machines do not count. */
static void machine_text(char text[IRR_LESSONS_MACHINE])
{
    struct utsname system = { .machine = "" };

    uname(&system);
    snprintf(text, IRR_LESSONS_MACHINE, "Open MPI %d.%d.%d, %.40s, %ld processors, transport %s", OMPI_MAJOR_VERSION,
             OMPI_MINOR_VERSION, OMPI_RELEASE_VERSION, system.machine, sysconf(_SC_NPROCESSORS_CONF),
             mca_coll_irr_parameter_text(mca_coll_irr_setting("transport")));
}

/* Marks the file as unusable.  Process 0 warns the user for all processes. */
static void refuse(const irr_file_error_t *error, const char *what)
{
    lessons.refused = true;
    if (mca_coll_irr_my_process() == 0) {
        mca_coll_irr_warn("engine-message", "coll_irr_memory_file is '%.400s', %s: %s; nothing is read from it or "
                          "written to it", memory_file(), what, cause_of(error).text);
    }
}

/* Reads the file in the first call.  The caller must hold the lock. */
static void read_lessons(void)
{
    irr_file_error_t error = { .line = 0 };
    char machine[IRR_LESSONS_MACHINE];

    if (lessons.read || memory_file()[0] == '\0') {
        return;
    }
    lessons.read = true;
    machine_text(machine);
    if (irr_lessons_read(memory_file(), machine, &lessons.known, NULL, &error) != IRR_OK) {
        refuse(&error, "which cannot be used");
    }
}

bool mca_coll_irr_memory_is_there(void)
{
    bool is_there;

    opal_mutex_lock(&mca_coll_irr_component.lock);
    read_lessons();
    is_there = lessons.known.count > 0;
    opal_mutex_unlock(&mca_coll_irr_component.lock);
    return is_there;
}

void mca_coll_irr_memory_words(const mca_coll_irr_service_t *service, const irr_candidate_t *list, int count,
                               uint64_t words[IRR_LESSONS_WORDS])
{
    const irr_lesson_t *lesson = NULL;

    opal_mutex_lock(&mca_coll_irr_component.lock);
    if (service->candidates != NULL) {
        lesson = irr_lessons_find(&lessons.known, &service->candidates->situation);
    }
    irr_lessons_words(lesson, list, count, words);
    opal_mutex_unlock(&mca_coll_irr_component.lock);
}

void mca_coll_irr_memory_learn(const mca_coll_irr_service_t *service, const char *strategy,
                               const irr_speedup_t *speedup)
{
    const irr_situation_t *situation = &service->candidates->situation;

    opal_mutex_lock(&mca_coll_irr_component.lock);
    (void)irr_lessons_learn(&lessons.known, situation, strategy, speedup);
    (void)irr_lessons_learn(&lessons.learnt, situation, strategy, speedup);
    opal_mutex_unlock(&mca_coll_irr_component.lock);
}

/* Lessons are speedups over Open MPI's implementation.  A service without memory for candidates has no lessons. */
void mca_coll_irr_memory_lived(mca_coll_irr_service_t *service)
{
    if (service->candidates == NULL || service->host_strategy != 0 || service->candidates->lived) {
        return;
    }
    service->candidates->lived = true;
    opal_mutex_lock(&mca_coll_irr_component.lock);
    (void)irr_lessons_lived(&lessons.known, &service->candidates->situation, service->choice.calls);
    (void)irr_lessons_lived(&lessons.learnt, &service->candidates->situation, service->choice.calls);
    opal_mutex_unlock(&mca_coll_irr_component.lock);
}

/* ---- the end of the job ---- */

void mca_coll_irr_memory_end(void)
{
    const uint64_t begin = irr_clock_ns();
    irr_file_error_t error = { .line = 0 };
    char machine[IRR_LESSONS_MACHINE];
    irr_status_t status;

    if (memory_file()[0] == '\0' || mca_coll_irr_my_process() != 0 || lessons.learnt.count == 0 || lessons.refused) {
        return;
    }
    machine_text(machine);
    while ((status = irr_lessons_add(memory_file(), machine, &lessons.learnt, &error)) == IRR_IN_PROGRESS &&
           irr_clock_ns() - begin < WAIT_NS) {
        usleep(PAUSE_US);
    }
    if (status == IRR_IN_PROGRESS) {
        snprintf(error.reason, sizeof(error.reason), "another process has locked it for two seconds");
    }
    if (status != IRR_OK) {
        refuse(&error, "which cannot be written");
    }
    irr_lessons_fini(&lessons.learnt);
}

void mca_coll_irr_memory_close(void)
{
    irr_lessons_fini(&lessons.learnt);
    irr_lessons_fini(&lessons.known);
    lessons.read = lessons.refused = false;
}

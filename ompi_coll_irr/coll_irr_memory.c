/*
 * coll_irr_memory.c - see coll_irr_memory.h: the constants of the machine, and the lessons from this job and from
 * coll_irr_memory_file.
 *
 * Each process reads the file of constants (coll_irr_machine_file) once.  All ranks of a communicator must get the same
 * estimates, so the first agreement includes a hash of the constants.  If the hashes differ, all ranks use the default
 * constants, and one more reduction selects the rank that warns the user.
 *
 * Each process reads the file of lessons before the ranks first list strategies.  Another job may replace the file
 * between the reads of two processes, so the ranks agree on common lessons (choose/lessons.h).  Process 0 of the job
 * writes the file, because it is a member of most communicators.  If it cannot use the file, it warns the user once.
 * Without memory for a new lesson, a process drops the lesson.
 */
#include "coll_irr_memory.h"
#include "coll_irr_settings.h"
#include "coll_irr_team.h"

#include "choose/lessons_file.h"
#include "core/clock.h"
#include "core/hash.h"

#include <sys/utsname.h>
#include <unistd.h>

static const mca_coll_irr_params_t *const params = &mca_coll_irr_component.params;

/* ---- constants of the machine ---- */

/* A machine has one word for each constant. */
enum { CONSTANTS = sizeof(irr_machine_t) / sizeof(uint64_t) };

/* Hash of a process that cannot use its file. */
#define REFUSED UINT64_MAX

/* State of the process; guarded by the component's lock. */
static struct {
    irr_machine_t    machine;
    uint64_t         hash;     /* 0: the file was not read yet */
    irr_file_error_t error;
    _Atomic bool     warned;   /* some rank has warned the user */
} constants;

/* Reads the file in the first call. */
static void read_constants(void)
{
    const irr_machine_t standard = IRR_MACHINE_DEFAULT;
    irr_status_t status = IRR_OK;
    uint64_t words[CONSTANTS];

    opal_mutex_lock(&mca_coll_irr_component.lock);
    if (constants.hash == 0) {
        constants.machine = standard;
        if (params->machine_file[0] != '\0') {
            status = irr_machine_read(params->machine_file, &constants.machine, &constants.error);
        }
        memcpy(words, &constants.machine, sizeof(words));
        constants.hash = status == IRR_OK ? irr_hash_words(IRR_HASH_BASIS, words, CONSTANTS) : REFUSED;
    }
    opal_mutex_unlock(&mca_coll_irr_component.lock);
}

/* The line of a file, if known, and why the component cannot use the file. */
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

void mca_coll_irr_machine_words(uint64_t words[2])
{
    read_constants();
    words[0] = constants.hash;
    words[1] = constants.hash == REFUSED ? UINT64_MAX : ~constants.hash;
}

/*
 * Words of the reduction if the constants differ: the lowest ranks that cannot use their files, that have the largest
 * hash, and that have another hash, where P - r stands for rank r of P ranks.  Then the value of each constant, and its
 * complement, whose maximum gives the minimum of the value.  The words before FIRST are of the vote.
 */
enum { FIRST = MCA_COLL_IRR_VOTE_MACHINE, REFUSES = FIRST, LARGEST, OTHER, VALUES, END = VALUES + 2 * CONSTANTS };

_Static_assert(END <= MCA_COLL_IRR_REDUCTION_WORDS, "the words of all constants fit");

static int first_different(const uint64_t *words)
{
    int i = 0;

    while (i < CONSTANTS - 1 && words[VALUES + 2 * i] == ~words[VALUES + 2 * i + 1]) {
        i++;
    }
    return i;
}

static void warn_of_others(const mca_coll_irr_ranks_t *ranks, const uint64_t *words)
{
    const uint64_t size = (uint64_t)ranks->size, differs = words[LARGEST] == size ? words[OTHER] : words[LARGEST];
    const int i = first_different(words);

    mca_coll_irr_warn("coll_irr_machine_file is '%.400s' on rank %u of MPI_COMM_WORLD, and rank %u has other "
                      "constants: %s is from %llu to %llu; it must be the same on all ranks, which take the default "
                      "constants", params->machine_file, mca_coll_irr_my_process(),
                      (unsigned)mca_coll_irr_process(ranks, (int)(size - differs)).vpid, irr_machine_name(i),
                      (unsigned long long)~words[VALUES + 2 * i + 1], (unsigned long long)words[VALUES + 2 * i]);
}

/* The lowest rank that cannot use its file warns the user, or rank 0 if all ranks can. */
static irr_status_t take_ranks(mca_coll_irr_agreement_t *agreement)
{
    const mca_coll_irr_ranks_t *ranks = &agreement->module->ranks;
    const uint64_t *words = agreement->words, size = (uint64_t)ranks->size;
    const uint64_t warns = words[REFUSES] > 0 ? words[REFUSES] : size;

    if (!mca_coll_irr_warns_first(&constants.warned) || warns != size - (uint64_t)ranks->rank) {
        return agreement->then(agreement);
    }
    if (words[REFUSES] > 0) {
        mca_coll_irr_warn("coll_irr_machine_file is '%.400s', and rank %u of MPI_COMM_WORLD cannot "
                          "use it: %s; all ranks take the default constants", params->machine_file,
                          mca_coll_irr_my_process(), cause_of(&constants.error).text);
    } else {
        warn_of_others(ranks, words);
    }
    return agreement->then(agreement);
}

irr_status_t mca_coll_irr_machine_begin(mca_coll_irr_agreement_t *agreement, const uint64_t words[2],
                                        mca_coll_irr_step_t then)
{
    const irr_machine_t standard = IRR_MACHINE_DEFAULT;
    mca_coll_irr_module_t *module = agreement->module;
    const bool equal = words[0] == ~words[1], largest = constants.hash == words[0];
    const uint64_t mark = (uint64_t)(module->ranks.size - module->ranks.rank);
    uint64_t values[CONSTANTS];

    module->team->machine = equal ? constants.machine : standard;
    opal_output_verbose(module->ranks.rank == 0 ? 10 : 20, mca_coll_irr_component.output,
                        "coll:irr: communicator %s takes the %s constants of the machine", module->comm->c_name,
                        memcmp(&module->team->machine, &standard, sizeof(standard)) == 0 ? "default" : "measured");
    agreement->then = then;
    if (equal) {
        return then(agreement);
    }
    memcpy(values, &constants.machine, sizeof(values));
    for (int i = 0; i < CONSTANTS; i++) {
        agreement->words[VALUES + 2 * i] = values[i];
        agreement->words[VALUES + 2 * i + 1] = ~values[i];
    }
    agreement->words[REFUSES] = constants.hash == REFUSED ? mark : 0;
    agreement->words[LARGEST] = largest ? mark : 0;
    agreement->words[OTHER] = largest ? 0 : mark;
    return mca_coll_irr_agreement_reduce(agreement, agreement->words + FIRST, END - FIRST, take_ranks);
}

/* ---- lessons ---- */

/* How long process 0 waits for the lock of the file, and its pause between two attempts. */
#define WAIT_NS  UINT64_C(2000000000)
#define PAUSE_US 2000

/* State of the process; guarded by the component's lock. */
static struct {
    bool         read;
    bool         refused;   /* the file is unusable */
    irr_lessons_t known;     /* of the file and of this job */
    irr_lessons_t learnt;    /* of this job alone */
} lessons;

bool mca_coll_irr_memory_is_given(void)
{
    return params->memory_file[0] != '\0';
}

/* Lessons of machines with another text do not count. */
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
        mca_coll_irr_warn("coll_irr_memory_file is '%.400s', %s: %s; nothing is read from it or "
                          "written to it", params->memory_file, what, cause_of(error).text);
    }
}

/* Reads the file in the first call.  The caller must hold the lock. */
static void read_lessons(void)
{
    irr_file_error_t error = { .line = 0 };
    char machine[IRR_LESSONS_MACHINE];

    if (lessons.read || params->memory_file[0] == '\0') {
        return;
    }
    lessons.read = true;
    machine_text(machine);
    if (irr_lessons_read(params->memory_file, machine, &lessons.known, NULL, &error) != IRR_OK) {
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

/* Lessons are speedups over Open MPI's implementation. */
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

    if (mca_coll_irr_my_process() != 0 || lessons.learnt.count == 0 || lessons.refused ||
        params->memory_file[0] == '\0') {
        return;
    }
    machine_text(machine);
    while ((status = irr_lessons_add(params->memory_file, machine, &lessons.learnt, &error)) == IRR_IN_PROGRESS &&
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

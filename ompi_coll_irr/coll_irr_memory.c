/*
 * coll_irr_memory.c - the lessons of this process: from trials of this job, and from coll_irr_memory_file.
 *
 * Each process reads the file before the ranks first list strategies.  Another job may replace the file between these
 * reads, so ranks may have different lessons; they agree on common ones (choose/lessons.h).  Process 0 of the job
 * writes the file, because it is a member of most communicators.
 *
 * If process 0 cannot use the file, it prints one warning, and does not write the file.  Without memory a process drops
 * new lessons.
 */
#include "coll_irr_choose.h"
#include "coll_irr_settings.h"

#include "choose/lessons_file.h"
#include "core/clock.h"

#include <sys/utsname.h>
#include <unistd.h>

/* Time that process 0 waits for the lock of the file, and its pause between attempts. */
#define WAIT_NS  UINT64_C(2000000000)
#define PAUSE_US 2000

/* State of the process; guarded by the component's lock. */
static struct {
    bool         read;
    bool         refused;   /* the file is unusable */
    irr_lessons_t known;     /* lessons of the file and of this job */
    irr_lessons_t learnt;    /* lessons of this job alone */
} mine;

static const char *path(void)
{
    return mca_coll_irr_component.params.memory_file;
}

bool mca_coll_irr_memory_is_given(void)
{
    return path()[0] != '\0';
}

/* Describes the machine that the speedups apply to. */
static void machine_text(char text[IRR_LESSONS_MACHINE])
{
    struct utsname system = { .machine = "" };

    uname(&system);
    snprintf(text, IRR_LESSONS_MACHINE, "Open MPI %d.%d.%d, %.40s, %ld processors, transport %s", OMPI_MAJOR_VERSION,
             OMPI_MINOR_VERSION, OMPI_RELEASE_VERSION, system.machine, sysconf(_SC_NPROCESSORS_CONF),
             mca_coll_irr_parameter_text(mca_coll_irr_setting("transport")));
}

/* Marks the file unusable.  Process 0 warns for all processes. */
static void refuse(const irr_file_error_t *error, const char *what)
{
    char text[768], line[32] = "";

    mine.refused = true;
    if (error->line > 0) {
        snprintf(line, sizeof(line), "line %zu: ", error->line);
    }
    snprintf(text, sizeof(text), "coll_irr_memory_file is '%.400s', %s: %s%s; nothing is read from it or written to it",
             path(), what, line, error->reason);
    if (mca_coll_irr_my_process() == 0) {
        mca_coll_irr_warn("engine-message", text);
    }
}

/* Reads the file in the first call.  The caller holds the lock. */
static void read_once(void)
{
    irr_file_error_t error = { .line = 0 };
    char machine[IRR_LESSONS_MACHINE];

    if (mine.read || path()[0] == '\0') {
        return;
    }
    mine.read = true;
    machine_text(machine);
    if (irr_lessons_read(path(), machine, &mine.known, NULL, &error) != IRR_OK) {
        refuse(&error, "which cannot be used");
    }
}

bool mca_coll_irr_memory_is_there(void)
{
    bool is_there;

    opal_mutex_lock(&mca_coll_irr_component.lock);
    read_once();
    is_there = mine.known.count > 0;
    opal_mutex_unlock(&mca_coll_irr_component.lock);
    return is_there;
}

void mca_coll_irr_memory_words(const mca_coll_irr_service_t *service, const irr_candidate_t *list, int count,
                               uint64_t words[IRR_LESSONS_WORDS])
{
    const irr_lesson_t *lesson = NULL;

    opal_mutex_lock(&mca_coll_irr_component.lock);
    if (service->candidates != NULL) {
        lesson = irr_lessons_find(&mine.known, &service->candidates->situation);
    }
    irr_lessons_words(lesson, list, count, words);
    opal_mutex_unlock(&mca_coll_irr_component.lock);
}

/* ---- learning ---- */

void mca_coll_irr_memory_learn(const mca_coll_irr_service_t *service, const char *strategy,
                               const irr_speedup_t *speedup)
{
    const irr_situation_t *situation = &service->candidates->situation;

    opal_mutex_lock(&mca_coll_irr_component.lock);
    (void)irr_lessons_learn(&mine.known, situation, strategy, speedup);
    (void)irr_lessons_learn(&mine.learnt, situation, strategy, speedup);
    opal_mutex_unlock(&mca_coll_irr_component.lock);
}

/* Lessons are speedups over Open MPI's own.  Without memory for candidates there are none. */
void mca_coll_irr_memory_lived(mca_coll_irr_service_t *service)
{
    if (service->candidates == NULL || service->host_strategy != 0 || service->candidates->lived) {
        return;
    }
    service->candidates->lived = true;
    opal_mutex_lock(&mca_coll_irr_component.lock);
    (void)irr_lessons_lived(&mine.known, &service->candidates->situation, service->choice.calls);
    (void)irr_lessons_lived(&mine.learnt, &service->candidates->situation, service->choice.calls);
    opal_mutex_unlock(&mca_coll_irr_component.lock);
}

/* ---- the end ---- */

void mca_coll_irr_memory_end(void)
{
    const uint64_t begin = irr_clock_ns();
    irr_file_error_t error = { .line = 0 };
    char machine[IRR_LESSONS_MACHINE];
    irr_status_t status;

    if (path()[0] == '\0' || mca_coll_irr_my_process() != 0 || mine.learnt.count == 0 || mine.refused) {
        return;
    }
    machine_text(machine);
    while ((status = irr_lessons_add(path(), machine, &mine.learnt, &error)) == IRR_IN_PROGRESS &&
           irr_clock_ns() - begin < WAIT_NS) {
        usleep(PAUSE_US);
    }
    if (status == IRR_IN_PROGRESS) {
        snprintf(error.reason, sizeof(error.reason), "another process has locked it for two seconds");
    }
    if (status != IRR_OK) {
        refuse(&error, "which cannot be written");
    }
    irr_lessons_fini(&mine.learnt);
}

void mca_coll_irr_memory_close(void)
{
    irr_lessons_fini(&mine.learnt);
    irr_lessons_fini(&mine.known);
    mine.read = mine.refused = false;
}

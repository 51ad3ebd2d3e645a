/*
 * test_relay_hostile.c - a relay with hostile peers. The relay ends, writes no byte outside its blocks, and the next
 * exchange with correct peers is right.
 *
 * The test records the letters (messages with their tags) that one rank, the victim, receives in correct exchanges of
 * all ranks. Then the victim runs alone, and the test sends the letters again, some of them changed. The victim waits
 * for every announced message, so the test also sends all announced messages.
 */
#include "irr_memory.h"
#include "irr_relays.h"
#include "irr_test.h"

#include <stdlib.h>
#include <string.h>

#define ALL_EAGER SIZE_MAX

enum { VICTIM = 1, EXCHANGES = 3, BYTES_MAX = 1 << 20, MESSAGES_MAX = 64 };

/* ---- letters ---- */

typedef struct letter {
    int            from;
    int            as;       /* the rank that the letter names as its sender */
    uint16_t       tag;
    size_t         length;
    unsigned char *bytes;
} letter_t;

/* The letters of the victim in some exchanges. */
typedef struct msg {
    irr_relays_params_t params;
    irr_job_t          *jobs[EXCHANGES];   /* the first two jobs are the same */
    unsigned char       salts[EXCHANGES];
    letter_t           *letters;
    size_t              count, max;
} msg_t;

typedef struct recorder {
    msg_t        *msg;
    irr_relays_t *relays;
    int           from;
} recorder_t;

static unsigned sequence_of(uint16_t tag)
{
    return (unsigned)(tag >> IRR_TAG_SEQUENCE_SHIFT) & ((1u << IRR_TAG_SEQUENCE_BITS) - 1);
}

static int stage_of(uint16_t tag)
{
    return tag & IRR_TAG_STAGES_MAX;
}

/* Returns true for a lead, which is a predicted message or a header. */
static bool is_lead(const letter_t *letter)
{
    irr_tag_kind_t kind = irr_tag_kind(letter->tag);

    return kind == IRR_TAG_DATA || kind == IRR_TAG_HEADER;
}

static void *copy_of(const void *bytes, size_t length)
{
    void *copy = malloc(length + 1);

    CU_ASSERT_PTR_NOT_NULL_FATAL(copy);
    if (length > 0) {
        memcpy(copy, bytes, length);
    }
    return copy;
}

static void add_letter(msg_t *msg, letter_t letter)
{
    if (msg->count == msg->max) {
        msg->max = 2 * msg->max + 16;
        msg->letters = realloc(msg->letters, msg->max * sizeof(*msg->letters));
        CU_ASSERT_PTR_NOT_NULL_FATAL(msg->letters);
    }
    msg->letters[msg->count++] = letter;
}

static void record(void *context, int to, uint16_t tag, const irr_iov_t *iov, size_t count)
{
    const recorder_t *recorder = context;
    unsigned char bytes[8192];
    size_t length = 0;

    if (to != VICTIM) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        CU_ASSERT_FATAL(iov[i].length <= sizeof(bytes) - length);
        memcpy(bytes + length, iov[i].base, iov[i].length);
        length += iov[i].length;
    }
    add_letter(recorder->msg, (letter_t){ recorder->from, recorder->from, tag, length, copy_of(bytes, length) });
}

/* Records the same job twice, and then another job. */
static void record_msg(msg_t *msg, const irr_relays_params_t *params, uint64_t seed)
{
    irr_relays_t *relays = irr_relays_create(params);
    recorder_t recorders[16];

    *msg = (msg_t){ .params = *params };
    msg->jobs[0] = irr_job_create(params->ranks, IRR_JOB_SPARSE, seed);
    msg->jobs[1] = msg->jobs[0];
    msg->jobs[2] = irr_job_create(params->ranks, IRR_JOB_UNIFORM, seed);
    for (int r = 0; r < params->ranks; r++) {
        recorders[r] = (recorder_t){ msg, relays, r };
        relays->rank[r].member->spy->on_send = record;
        relays->rank[r].member->spy->context = &recorders[r];
    }
    for (int i = 0; i < EXCHANGES; i++) {
        CU_ASSERT_TRUE_FATAL(irr_relays_exchange(relays, msg->jobs[i]));
        CU_ASSERT_EQUAL(irr_relays_wrong(relays, msg->jobs[i]), 0);
        msg->salts[i] = msg->jobs[i]->salt;
    }
    irr_relays_destroy(relays);
}

static void close_msg(msg_t *msg)
{
    for (size_t i = 0; i < msg->count; i++) {
        free(msg->letters[i].bytes);
    }
    free(msg->letters);
    irr_job_destroy(msg->jobs[2]);
    irr_job_destroy(msg->jobs[0]);
}

/* Returns true if the last exchange describes all messages to the victim. */
static bool describes_last(const msg_t *msg)
{
    for (size_t i = 0; i < msg->count; i++) {
        const letter_t *letter = &msg->letters[i];

        if (sequence_of(letter->tag) == EXCHANGES - 1 && irr_tag_kind(letter->tag) == IRR_TAG_DATA &&
            letter->length > 0) {
            return false;
        }
    }
    return true;
}

/*
 * Records exchanges. No message of the last job has the layout of the previous job, so that a changed exchange cannot
 * affect the last exchange. A random job may by chance have such a message; the function then records again.
 */
static void open_msg(msg_t *msg, const irr_relays_params_t *params, uint64_t seed)
{
    record_msg(msg, params, seed);
    while (!describes_last(msg)) {
        close_msg(msg);
        record_msg(msg, params, ++seed);
    }
}

/* ---- sending ---- */

static void never(irr_request_t *request, irr_status_t status)
{
    (void)request;
    CU_ASSERT_EQUAL(status, IRR_IN_PROGRESS);   /* all messages are eager */
}

/*
 * Sends a letter to the victim. letter->from sends the letter, in the name of letter->as; both may differ from the
 * recorded sender.
 */
static void post(irr_relays_t *relays, const letter_t *letter)
{
    irr_fleet_rank_t *from = &relays->fleet->rank[letter->from];
    irr_iov_t iov = { letter->bytes, letter->length };
    irr_request_t request = { .done = never };
    irr_channel_t forged = *irr_pass_inner(from->channel);

    forged.rank = letter->as;
    irr_request_set(&request, VICTIM, letter->tag, &iov, 1, IRR_FORM_IOVEC);
    CU_ASSERT_EQUAL(irr_channel_send(&forged, &request), IRR_OK);
}

static size_t bodies_of(const msg_t *msg, const letter_t *lead)
{
    size_t bodies = 0;

    for (size_t i = 0; i < msg->count; i++) {
        const letter_t *letter = &msg->letters[i];

        bodies += irr_tag_kind(letter->tag) == IRR_TAG_BODY && letter->from == lead->from &&
                 sequence_of(letter->tag) == sequence_of(lead->tag) &&
                 stage_of(letter->tag) == stage_of(lead->tag);
    }
    return bodies;
}

/*
 * Sends the messages that the victim expects in addition to the recorded messages, because a letter was changed: a
 * header after a cancelled predicted receive, another header, or bodies.
 */
static void post_rest(irr_relays_t *relays, const letter_t *lead, bool retired, size_t there)
{
    const uint16_t base = irr_tag_base(sequence_of(lead->tag));
    letter_t body = { lead->from, lead->as, irr_tag(base, IRR_TAG_BODY, stage_of(lead->tag)), 5,
                      (unsigned char *)"party" };
    letter_t header_letter = body;
    irr_reader_t reader = { .in = lead->bytes, .length = lead->length };
    irr_header_t header;

    header_letter.tag = irr_tag(base, IRR_TAG_HEADER, stage_of(lead->tag));
    if (irr_tag_kind(lead->tag) == IRR_TAG_DATA) {
        if (retired && lead->length == 0) {
            post(relays, &header_letter);
        }
    } else if (irr_header_read(&reader, &header) == IRR_OK) {
        if (header.more > 0) {
            post(relays, &header_letter);
        }
        for (size_t i = there; i < header.messages && !header.inside; i++) {
            post(relays, &body);
        }
    }
}

/* Sends the largest possible number of predicted messages, because a changed header may have announced them. */
static void post_predicted(irr_relays_t *relays, const letter_t *predicted)
{
    letter_t empty = *predicted;

    empty.length = 0;
    for (int i = 0; i < MESSAGES_MAX; i++) {
        post(relays, &empty);
    }
}

/* ---- spoiling ---- */

static void flip(letter_t *letter, uint64_t *state)
{
    if (letter->length > 0) {
        letter->bytes[irr_test_below(state, letter->length)] ^= (unsigned char)(1 + irr_test_below(state, 255));
    }
}

/* Changes one of the first bytes, which hold most of the description. */
static void flip_early(letter_t *letter, uint64_t *state)
{
    size_t first = letter->length < 12 ? letter->length : 12;

    if (first > 0) {
        letter->bytes[irr_test_below(state, first)] = (unsigned char)irr_test_random(state);
    }
}

static void swap(letter_t *letter, uint64_t *state)
{
    size_t i = letter->length > 1 ? irr_test_below(state, letter->length - 1) : 0;
    unsigned char byte = letter->bytes[i];

    if (letter->length > 1) {
        letter->bytes[i] = letter->bytes[i + 1];
        letter->bytes[i + 1] = byte;
    }
}

static void cut(letter_t *letter, uint64_t *state)
{
    letter->length = irr_test_below(state, letter->length + 1);
}

/* Inserts `more` bytes of 0xff at a random position. Returns the address of the first inserted byte. */
static unsigned char *insert_gap(letter_t *letter, size_t more, uint64_t *state)
{
    const size_t at = irr_test_below(state, letter->length + 1);

    letter->bytes = realloc(letter->bytes, letter->length + more);
    CU_ASSERT_PTR_NOT_NULL_FATAL(letter->bytes);
    memmove(letter->bytes + at + more, letter->bytes + at, letter->length - at);
    memset(letter->bytes + at, 0xff, more);
    letter->length += more;
    return letter->bytes + at;
}

static void insert(letter_t *letter, uint64_t *state)
{
    const size_t more = 1 + irr_test_below(state, 12);
    unsigned char *gap = insert_gap(letter, more, state);

    for (size_t i = 0; i < more; i++) {
        gap[i] = (unsigned char)irr_test_random(state);
    }
}

/* Inserts the largest number with a random number of bytes. */
static void enlarge(letter_t *letter, uint64_t *state)
{
    const size_t bytes = 4 + irr_test_below(state, 6);

    insert_gap(letter, bytes, state)[bytes - 1] = 0x7f;
}

static void randomize(letter_t *letter, uint64_t *state)
{
    for (size_t i = 0; i < letter->length; i++) {
        letter->bytes[i] = (unsigned char)(irr_test_random(state) % (i < 3 ? 8 : 256));
    }
}

/* Turns a header into data, or data into a header. */
static void change_kind(letter_t *letter, uint64_t *state)
{
    (void)state;
    letter->tag ^= 1u << IRR_TAG_KIND_SHIFT;
}

static void leave(letter_t *letter, uint64_t *state)
{
    (void)letter;
    (void)state;
}

static void (*const spoil[])(letter_t *letter, uint64_t *state) = {
    leave, flip, flip_early, flip_early, swap, cut, insert, enlarge, randomize, change_kind
};

/* A second copy of a lead: none, or in the name of the same sender, of any rank, or of a rank that does not exist. */
typedef enum extra { NOTHING, TWICE, STRANGER, NOBODY, EXTRAS } extra_t;

/* Sends an extra lead, with its bodies, because it may arrive before the lead of its sender. */
static void post_extra(irr_relays_t *relays, const letter_t *lead, extra_t extra, uint64_t *state)
{
    int rank = lead->as;
    letter_t letter = *lead;

    if (extra == STRANGER) {
        rank = (int)irr_test_below(state, (uint64_t)relays->params.ranks);
    } else if (extra == NOBODY) {
        rank = relays->params.ranks + (int)irr_test_below(state, 1000);
    }
    letter.as = rank;
    letter.from = (int)irr_test_below(state, (uint64_t)relays->params.ranks);
    letter.from = letter.from == VICTIM ? 0 : letter.from;
    post(relays, &letter);
    post_rest(relays, &letter, letter.as != lead->from, 0);
}

/* ---- runs ---- */

/* The range of recorded letters in which an attack changes the leads. */
typedef struct attack {
    size_t first, last;   /* indexes of the first and the last letter */
    bool   none;
} attack_t;

static bool hits(const attack_t *attack, const msg_t *msg, size_t i)
{
    const letter_t *letter = &msg->letters[i];

    return !attack->none && i >= attack->first && i <= attack->last && is_lead(letter) &&
           sequence_of(letter->tag) < EXCHANGES - 1;
}

static void post_spoilt(irr_relays_t *relays, const msg_t *msg, size_t i, uint64_t *state)
{
    extra_t extra = irr_test_below(state, 3) == 0 ? (extra_t)irr_test_below(state, EXTRAS) : NOTHING;
    bool before = irr_test_below(state, 2) == 0;
    const letter_t *whole = &msg->letters[i];
    letter_t letter = *whole;
    size_t there = bodies_of(msg, &letter);

    letter.bytes = copy_of(letter.bytes, letter.length);
    if (extra != NOTHING && before) {
        post_extra(relays, &letter, extra, state);
    }
    spoil[irr_test_below(state, IRR_TEST_COUNT(spoil))](&letter, state);
    post(relays, &letter);
    post_rest(relays, &letter, whole->length > 0, there);
    if (letter.tag != whole->tag) {
        post(relays, whole);
    }
    if (extra != NOTHING && !before) {
        post_extra(relays, &letter, extra, state);
    }
    free(letter.bytes);
}

/* Runs one exchange of the victim, which must end.  Returns its result. */
static irr_status_t run_victim(irr_relays_t *relays, const msg_t *msg, unsigned exchange,
                               const attack_t *attack, uint64_t *state)
{
    irr_job_t *job = msg->jobs[exchange];

    job->salt = msg->salts[exchange];
    irr_job_fill(job);
    relays->sequence = exchange;
    irr_relays_start(relays, job, VICTIM);
    for (size_t i = 0; i < msg->count; i++) {
        if (sequence_of(msg->letters[i].tag) == exchange) {
            if (hits(attack, msg, i)) {
                post_spoilt(relays, msg, i, state);
            } else {
                post(relays, &msg->letters[i]);
            }
            if (!attack->none && irr_tag_kind(msg->letters[i].tag) == IRR_TAG_DATA) {
                post_predicted(relays, &msg->letters[i]);
            }
        }
    }
    CU_ASSERT_TRUE_FATAL(irr_fleet_run(relays->fleet));
    CU_ASSERT(relays->rank[VICTIM].member->result <= IRR_OK);
    return relays->rank[VICTIM].member->result;
}

/*
 * Runs the exchanges with an attack. After an attack blocks may have any contents, but guard bytes must be unchanged.
 * Without an attack, and in the last exchange, all bytes must be right.
 */
static void run_attack(const msg_t *msg, const attack_t *attack, uint64_t *state)
{
    irr_relays_params_t params = msg->params;
    irr_relays_t *relays;

    params.seed = irr_test_random(state);
    irr_memory_begin();
    irr_memory_limit(BYTES_MAX);
    relays = irr_relays_create(&params);
    for (unsigned exchange = 0; exchange < EXCHANGES; exchange++) {
        irr_status_t result = run_victim(relays, msg, exchange, attack, state);
        bool last = exchange == EXCHANGES - 1;

        for (int r = 0; r < params.ranks && !attack->none; r++) {
            msg->jobs[exchange]->undefined[VICTIM * params.ranks + r] = !last;
        }
        CU_ASSERT(result == IRR_OK || (!attack->none && !last));
        CU_ASSERT_TRUE(irr_job_verify(msg->jobs[exchange], VICTIM));
    }
    irr_relays_destroy(relays);
    CU_ASSERT_EQUAL(irr_memory_end(), 0);
}

static void attack_all(const irr_relays_params_t *params, int times, uint64_t *state)
{
    attack_t attack = { .none = true };
    msg_t msg;

    open_msg(&msg, params, irr_test_random(state));
    run_attack(&msg, &attack, state);
    attack.none = false;
    for (int i = 0; i < irr_test_runs(times); i++) {
        attack.first = irr_test_below(state, msg.count);
        attack.last = i % 4 == 0 ? msg.count : attack.first;
        run_attack(&msg, &attack, state);
    }
    close_msg(&msg);
}

static void attack_row(const char *row, int ranks, int times)
{
    static const size_t zero_copy_min[] = { 0, 30 };
    uint64_t state = irr_test_seed();

    for (int i = 0; i < 12; i++) {
        irr_relays_params_t params = {
            .algorithm = row, .ranks = ranks, .seed = irr_test_random(&state), .eager_max = ALL_EAGER,
            .zero_copy_min = zero_copy_min[i % 2], .compose = i % 4 == 3 ? IRR_COMPOSE_SPLIT : IRR_COMPOSE_AUTO,
            .overlap = i % 3 == 2 ? IRR_OVERLAP_BLOCKING : IRR_OVERLAP_PIPELINED
        };

        attack_all(&params, times, &state);
    }
}

static void test_squares(void)
{
    attack_row("grid", 4, 1000);
    attack_row("balanced-grid", 4, 1000);
}

static void test_larger(void)
{
    attack_row("balanced-grid", 9, 300);
    attack_row("spread", 5, 300);
    attack_row("node", 7, 300);
    attack_row("bruck", 6, 300);
}

IRR_TEST_MAIN("relay among hostile peers", 600,
    { "4 ranks, squares",              test_squares },
    { "more ranks, and the other rows", test_larger })

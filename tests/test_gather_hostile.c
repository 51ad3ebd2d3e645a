/*
 * test_gather_hostile.c - a gather among peers that send anything: it ends, reads and writes nothing outside its
 * memory, and the next one with peers that behave is right.
 *
 * A good gather of all ranks is recorded, as the letters that one rank, the victim, gets.  Then the victim runs
 * alone, and the letters are sent to it again with one or all of them spoilt.  It runs best with the sanitizers.
 */
#include "irr_gathers.h"
#include "irr_memory.h"
#include "irr_test.h"

#include <stdlib.h>
#include <string.h>

#define ALL_EAGER SIZE_MAX
#define COUNT(array) (sizeof(array) / sizeof(array[0]))

enum { LETTERS_MAX = 32, LETTER_BYTES = 8192, MAX_BYTES = 20000 };

typedef struct letter {
    int           from;
    uint16_t      tag;
    size_t        length;
    unsigned char bytes[LETTER_BYTES];
} letter_t;

typedef struct mail {
    irr_gathers_t *gathers;   /* of which they are */
    int            victim;
    letter_t       letters[LETTERS_MAX];
    size_t         count;
} mail_t;

typedef struct recorder {
    mail_t *mail;
    int     from;
} recorder_t;

/* ---- letters ---- */

static void record(void *context, int to, uint16_t tag, const irr_iov_t *iov, size_t count)
{
    const recorder_t *recorder = context;
    mail_t *mail = recorder->mail;
    letter_t *letter = &mail->letters[mail->count];
    size_t length = count > 0 ? iov->length : 0;

    if (to != mail->victim) {
        return;
    }
    CU_ASSERT_FATAL(mail->count < LETTERS_MAX && count <= 1 && length <= LETTER_BYTES);
    *letter = (letter_t){ .from = recorder->from, .tag = tag, .length = length };
    if (length > 0) {
        memcpy(letter->bytes, iov->base, length);
    }
    mail->count++;
}

static void open_mail(mail_t *mail, int ranks, int victim, uint64_t *state)
{
    recorder_t recorders[64];

    mail->gathers = irr_gathers_create(ranks, 0, ALL_EAGER, SIZE_MAX);
    mail->victim = victim;
    mail->count = 0;
    irr_gathers_fill(mail->gathers, state);
    for (int r = 0; r < ranks; r++) {
        recorders[r] = (recorder_t){ mail, r };
        mail->gathers->fleet->rank[r].spy->on_send = record;
        mail->gathers->fleet->rank[r].spy->context = &recorders[r];
    }
    CU_ASSERT_TRUE_FATAL(irr_gathers_run(mail->gathers, 0, 0));
    CU_ASSERT_EQUAL(irr_gathers_wrong(mail->gathers, 0), 0);
}

static void never(irr_request_t *request, irr_status_t status)
{
    (void)request;
    CU_ASSERT_EQUAL(status, IRR_IN_PROGRESS);   /* all is eager */
}

/* Sends a letter of this gather, or as one of a later one. */
static void post(irr_gathers_t *gathers, int victim, letter_t *letter)
{
    irr_fleet_rank_t *from = &gathers->fleet->rank[letter->from];
    irr_iov_t iov = { letter->bytes, letter->length };
    irr_request_t request = { .done = never };
    uint16_t tag = letter->tag | irr_tag_base(gathers->sequence);

    CU_ASSERT_EQUAL(from->channel->transport->ops->send(from->channel, victim, tag, &iov, 1, IRR_FORM_IOVEC,
                                                        &request), IRR_OK);
}

/* ---- spoiling ---- */

static void flip(letter_t *letter, uint64_t *state)
{
    if (letter->length > 0) {
        letter->bytes[irr_test_below(state, letter->length)] ^= (unsigned char)(1 + irr_test_below(state, 255));
    }
}

static void cut(letter_t *letter, uint64_t *state)
{
    letter->length = irr_test_below(state, letter->length + 1);
}

static void empty(letter_t *letter, uint64_t *state)
{
    (void)state;
    letter->length = 0;
}

/* Opens a gap of a few bytes anywhere: random ones, or a number as large as they get. */
static void insert(letter_t *letter, uint64_t *state)
{
    size_t at = irr_test_below(state, letter->length + 1), more = 1 + irr_test_below(state, 11);
    bool random = irr_test_below(state, 2) == 0;

    CU_ASSERT_FATAL(letter->length + more <= LETTER_BYTES);
    memmove(letter->bytes + at + more, letter->bytes + at, letter->length - at);
    for (size_t i = 0; i < more; i++) {
        letter->bytes[at + i] = random ? (unsigned char)irr_test_random(state) : i + 1 < more ? 0xff : 0x7f;
    }
    letter->length += more;
}

static void randomize(letter_t *letter, uint64_t *state)
{
    for (size_t i = 0; i < letter->length; i++) {
        letter->bytes[i] = (unsigned char)irr_test_random(state) & (irr_test_below(state, 4) == 0 ? 0xff : 3);
    }
}

/* As long as can be, of rows that are empty or not. */
static void enlarge(letter_t *letter, uint64_t *state)
{
    memset(letter->bytes, (int)irr_test_below(state, 3), LETTER_BYTES);
    letter->length = LETTER_BYTES;
}

static void (*const spoil[])(letter_t *letter, uint64_t *state) = {
    flip, flip, flip, cut, empty, insert, insert, randomize, enlarge
};

/* ---- runs ---- */

/* A rest that a letter has announced and nobody sends would be waited for: so it comes, with anything in it. */
static void send_rests(irr_gathers_t *gathers, const mail_t *mail, uint64_t *state)
{
    irr_gathers_rank_t *victim = &gathers->rank[mail->victim];

    for (int n = 0; n < 64 && !irr_gathers_progress(gathers, 50); n++) {
        letter_t rest = {
            .from = irr_exec_awaited(&victim->tree.moves.exec), .length = irr_test_below(state, LETTER_BYTES)
        };

        CU_ASSERT_FATAL(victim->phase != IRR_GATHERS_AGREES && victim->tree.state == IRR_BINOMIAL_HEARS_PARTS);
        rest.tag = irr_tag(0, IRR_TAG_HEADER, victim->tree.down ? 2 : 1);
        post(gathers, mail->victim, &rest);
    }
}

static unsigned run_victim(irr_gathers_t *gathers, mail_t *mail, size_t first, size_t last, uint64_t *state)
{
    irr_gathers_start(gathers, mail->victim);
    for (size_t i = 0; i < mail->count; i++) {
        letter_t letter = mail->letters[i];

        if (i >= first && i <= last) {
            spoil[irr_test_below(state, COUNT(spoil))](&letter, state);
        }
        post(gathers, mail->victim, &letter);
    }
    send_rests(gathers, mail, state);
    CU_ASSERT_TRUE_FATAL(irr_gathers_progress(gathers, IRR_GATHERS_ROUNDS));
    gathers->sequence++;
    return gathers->rank[mail->victim].mark;
}

/* An attack on letters from first to last, and then a good gather. */
static void attack(mail_t *mail, size_t first, size_t last, uint64_t *state)
{
    size_t ranks = (size_t)mail->gathers->fleet->ranks;
    irr_gathers_t *gathers;

    irr_memory_begin();
    gathers = irr_gathers_create((int)ranks, irr_test_random(state), ALL_EAGER, MAX_BYTES);
    irr_memory_limit(4 * MAX_BYTES);
    memcpy(gathers->lengths, mail->gathers->lengths, ranks * ranks * sizeof(*gathers->lengths));
    run_victim(gathers, mail, first, last, state);
    CU_ASSERT_EQUAL(run_victim(gathers, mail, mail->count, 0, state), 0);
    CU_ASSERT_TRUE(gathers->rank[mail->victim].right);
    irr_gathers_destroy(gathers);
    CU_ASSERT_EQUAL(irr_memory_end(), 0);
}

static void attack_ranks(int ranks, int mails, int times)
{
    uint64_t state = irr_test_seed();
    mail_t *mail = malloc(sizeof(*mail));

    CU_ASSERT_PTR_NOT_NULL_FATAL(mail);
    for (int m = 0; m < mails; m++) {
        open_mail(mail, ranks, (int)irr_test_below(&state, (uint64_t)ranks), &state);
        for (int i = 0; i < times; i++) {
            size_t first = irr_test_below(&state, mail->count);

            attack(mail, first, i % 4 == 0 ? mail->count : first, &state);
        }
        irr_gathers_destroy(mail->gathers);
    }
    free(mail);
}

static void test_few(void)
{
    attack_ranks(2, 40, 500);
    attack_ranks(3, 40, 500);
    attack_ranks(4, 40, 500);
}

static void test_more(void)
{
    attack_ranks(7, 40, 300);
    attack_ranks(16, 20, 200);
    attack_ranks(21, 20, 200);
}

int main(void)
{
    static const irr_test_case_t cases[] = {
        { "2 to 4 ranks", test_few },
        { "more ranks", test_more },
        { NULL, NULL }
    };

    return irr_test_main("gather among hostile peers", cases, 240);
}

/*
 * test_compose.c - how a message of several pieces is sent: the choice of a form, and exchanges with every form over
 * loopback.
 */
#include "irr_world.h"

#define POISON    0x5a
#define STEPS_MAX 20000

/* Row 1 of the table of algorithms: direct. */
enum { DIRECT = 1 };

/* The capabilities of a transport that supports lists of any number of pieces. */
#define ANY_LIST .pieces_max = { SIZE_MAX, SIZE_MAX }

/* ---- the decision ---- */

IRR_TEST(test_decision, "the decision for each mode and transport")
{
    const irr_transport_caps_t
        tcp = { ANY_LIST, .iov_wire_max = 4, .zero_copy_min = SIZE_MAX },
        rdma = { ANY_LIST, .iov_wire_max = 4, .zero_copy_min = 100000 },
        shared = { ANY_LIST, .iov_wire_max = SIZE_MAX, .zero_copy_min = 4096 },
        short_lists = { .pieces_max = { 4, 1 }, .iov_wire_max = 4, .zero_copy_min = 100000 },
        gathers = { .pieces_max = { 1, SIZE_MAX }, .iov_wire_max = 4, .zero_copy_min = SIZE_MAX },
        no_lists = { .pieces_max = { 1, 1 }, .iov_wire_max = 4, .zero_copy_min = SIZE_MAX };
    const struct {
        irr_compose_t               mode;
        const irr_transport_caps_t *caps;
        size_t                      pieces, bytes;
        irr_form_t                  form;
        size_t                      apart_min;
    } rows[] = {
        { IRR_COMPOSE_IOVEC,  &tcp,    9, 90,    IRR_FORM_IOVEC,  SIZE_MAX },
        { IRR_COMPOSE_GATHER, &tcp,    2, 90000, IRR_FORM_GATHER, SIZE_MAX },
        { IRR_COMPOSE_SPLIT,  &tcp,    2, 2,     IRR_FORM_IOVEC,  0 },
        { IRR_COMPOSE_AUTO,   &tcp,    4, 4,     IRR_FORM_IOVEC,  SIZE_MAX },
        { IRR_COMPOSE_AUTO,   &tcp,    5, 5,     IRR_FORM_GATHER, SIZE_MAX },
        { IRR_COMPOSE_AUTO,   &tcp,    5, 2559,  IRR_FORM_GATHER, SIZE_MAX },
        { IRR_COMPOSE_AUTO,   &tcp,    5, 2560,  IRR_FORM_IOVEC,  SIZE_MAX },
        { IRR_COMPOSE_AUTO,   &rdma,   5, 5,     IRR_FORM_GATHER, 100000 },
        { IRR_COMPOSE_AUTO,   &shared, 5, 5,     IRR_FORM_IOVEC,  4096 },
        /* A message of one piece is contiguous in every mode. */
        { IRR_COMPOSE_IOVEC,  &tcp,    1, 90000, IRR_FORM_IOVEC,  SIZE_MAX },
        { IRR_COMPOSE_GATHER, &tcp,    1, 90000, IRR_FORM_GATHER, SIZE_MAX },
        { IRR_COMPOSE_SPLIT,  &tcp,    1, 90000, IRR_FORM_IOVEC,  SIZE_MAX },
        { IRR_COMPOSE_AUTO,   &shared, 1, 90000, IRR_FORM_IOVEC,  SIZE_MAX },
        /* If the transport does not support the form of a mode, another form is chosen. */
        { IRR_COMPOSE_IOVEC,  &short_lists, 4, 90, IRR_FORM_IOVEC, SIZE_MAX },
        { IRR_COMPOSE_IOVEC,  &short_lists, 5, 90, IRR_FORM_IOVEC, 0 },
        { IRR_COMPOSE_GATHER, &short_lists, 4, 90, IRR_FORM_IOVEC, SIZE_MAX },
        { IRR_COMPOSE_AUTO,   &short_lists, 4, 90, IRR_FORM_IOVEC, 100000 },
        { IRR_COMPOSE_AUTO,   &short_lists, 5, 90, IRR_FORM_IOVEC, 0 },
        { IRR_COMPOSE_IOVEC,  &gathers,  4, 90,  IRR_FORM_GATHER, SIZE_MAX },
        { IRR_COMPOSE_AUTO,   &gathers,  4, 4000, IRR_FORM_GATHER, SIZE_MAX },
        { IRR_COMPOSE_SPLIT,  &gathers,  4, 90,  IRR_FORM_GATHER, 0 },   /* a message may still have several pieces */
        { IRR_COMPOSE_GATHER, &no_lists, 2, 90,  IRR_FORM_IOVEC,  0 },
        { IRR_COMPOSE_IOVEC,  &no_lists, 2, 90,  IRR_FORM_IOVEC,  0 },
        { IRR_COMPOSE_IOVEC,  &no_lists, 1, 90,  IRR_FORM_IOVEC,  SIZE_MAX },
        { IRR_COMPOSE_IOVEC,  &no_lists, 0, 0,   IRR_FORM_IOVEC,  SIZE_MAX },
    };

    for (size_t i = 0; i < IRR_TEST_COUNT(rows); i++) {
        irr_composition_t got = irr_compose(rows[i].mode, rows[i].caps, rows[i].pieces, rows[i].bytes);

        CU_ASSERT_EQUAL(got.form, rows[i].form);
        CU_ASSERT_EQUAL(got.apart_min, rows[i].apart_min);
    }
}

IRR_TEST(test_names, "each mode has a name")
{
    static const char *const names[] = { "auto", "iovec", "gather", "split" };

    for (int i = 0; i < IRR_COMPOSE_COUNT; i++) {
        CU_ASSERT_STRING_EQUAL(irr_compose_name(i), names[i]);
    }
    CU_ASSERT_PTR_NULL(irr_compose_name(-1));
    CU_ASSERT_PTR_NULL(irr_compose_name(IRR_COMPOSE_COUNT));
}

/* ---- one message of many pieces from rank 0 to rank 1 ---- */

#define GAP        3
#define PIECES_MAX 1000

typedef struct cut {
    const size_t *lengths;
    size_t        count;
} cut_t;

typedef struct setting {
    irr_compose_t mode;
    size_t        eager_max;
    uint64_t      seed;
    size_t        iov_wire_max, zero_copy_min;
    size_t        pieces_max;    /* 0: any */
} setting_t;

/* The cost of a message. */
typedef struct cost {
    uint64_t messages;    /* the same at both ends */
    uint64_t gathered[2]; /* bytes, by rank */
} cost_t;

/* Lays out the pieces of a cut one after the other, with gaps.  Returns the size of a buffer that holds them. */
static size_t lay_out(irr_piece_t *pieces, irr_buffer_t buffer, cut_t cut)
{
    size_t position = GAP;

    for (size_t i = 0; i < cut.count; i++) {
        pieces[i] = (irr_piece_t){ .buffer = buffer, .offset = (ptrdiff_t)position, .length = cut.lengths[i] };
        position += cut.lengths[i] + GAP;
    }
    return position;
}

static unsigned char *make_buffer(size_t bytes)
{
    return memset(irr_test_array(bytes, 1), POISON, bytes);
}

/* Writes the bytes of the message into its pieces. */
static void write_message(unsigned char *buffer, const irr_piece_t *pieces, size_t count)
{
    size_t at = 0;

    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < pieces[i].length; k++, at++) {
            buffer[pieces[i].offset + (ptrdiff_t)k] = (unsigned char)(at * 7 + (at >> 8) * 13);
        }
    }
}

/* Starts the plan of one step on a rank: rank 0 sends the message, and rank 1 receives it. */
static irr_status_t start(irr_team_t *team, int rank, const irr_piece_t *pieces, size_t count, void *buffer)
{
    const irr_problem_t problem = { .ranks = 2, .rank = rank };
    const irr_step_params_t params = {
        .kind = rank == 0 ? IRR_STEP_SEND : IRR_STEP_RECV, .peer = 1 - rank, .stage = 1, .number = 1,
        .pieces = pieces, .npieces = count
    };
    irr_plan_t plan;

    irr_plan_init(&plan);
    irr_plan_reset(&plan, &problem);
    irr_test_must(irr_plan_add(&plan, &params));
    irr_team_start_plan(team, rank, &problem, &plan, buffer, buffer);
    return IRR_IN_PROGRESS;
}

/* Opens a world of two ranks, whose transports have the caps of the setting. */
static void open_ends(irr_team_t *team, const setting_t *setting)
{
    irr_team_begin(team, 2, setting->seed, setting->eager_max);
    for (int r = 0; r < 2; r++) {
        irr_spy_t *spy = team->world->spies[r];
        irr_transport_caps_t *caps = &spy->super.caps;

        caps->iov_wire_max = setting->iov_wire_max;
        caps->zero_copy_min = setting->zero_copy_min;
        for (int form = 0; form < IRR_FORM_COUNT && setting->pieces_max > 0; form++) {
            caps->pieces_max[form] = setting->pieces_max;
        }
        spy->pass.inner->caps = *caps;
    }
    irr_team_create_with(team, &(irr_settings_t){ .algorithm = DIRECT, .compose = setting->mode });
}

static cost_t read_cost(const irr_team_t *team)
{
    irr_counters_t counters[2];

    for (int r = 0; r < 2; r++) {
        irr_engine_counters(team->world->engines[r], &counters[r]);
    }
    CU_ASSERT_EQUAL(counters[1].messages_received, counters[0].messages_sent);
    CU_ASSERT_EQUAL(counters[1].bytes_received, counters[0].bytes_sent);
    return (cost_t){
        .messages = counters[0].messages_sent, .gathered = { counters[0].bytes_gathered, counters[1].bytes_gathered }
    };
}

/*
 * Sends one message, cut differently at sender and receiver, and verifies every byte. One end starts before the other
 * end.
 */
static cost_t send_message(const setting_t *setting, cut_t cut_from, cut_t cut_to)
{
    static irr_piece_t pieces[2][PIECES_MAX];
    const size_t bytes[2] = { lay_out(pieces[0], IRR_BUFFER_INPUT, cut_from),
                              lay_out(pieces[1], IRR_BUFFER_OUTPUT, cut_to) };
    unsigned char *buffers[2] = { make_buffer(bytes[0]), make_buffer(bytes[1]) }, *expected = make_buffer(bytes[1]);
    const size_t counts[2] = { cut_from.count, cut_to.count };
    irr_status_t result[2] = { IRR_OK, IRR_OK };
    irr_team_t team;
    cost_t cost;

    open_ends(&team, setting);
    write_message(buffers[0], pieces[0], cut_from.count);
    write_message(expected, pieces[1], cut_to.count);
    for (int i = 0; i < 2; i++) {
        const int r = setting->seed % 2 == 0 ? 1 - i : i;

        result[r] = start(&team, r, pieces[r], counts[r], buffers[r]);
        (void)irr_team_progress(&team, result, 5);
    }
    CU_ASSERT_TRUE_FATAL(irr_team_progress(&team, result, STEPS_MAX));
    CU_ASSERT(result[0] == IRR_OK && result[1] == IRR_OK);
    CU_ASSERT(memcmp(buffers[1], expected, bytes[1]) == 0);
    cost = read_cost(&team);
    irr_team_close(&team);
    free(buffers[0]);
    free(buffers[1]);
    free(expected);
    return cost;
}

/* Sends a message eagerly and by rendezvous, with four seeds each, and asserts its cost. */
static void expect_cost(setting_t setting, cut_t from, cut_t to, size_t messages, uint64_t gathered)
{
    static const size_t eager_max[] = { SIZE_MAX, 0, 1000 };

    for (size_t i = 0; i < IRR_TEST_COUNT(eager_max); i++) {
        for (setting.seed = 0; setting.seed < 4; setting.seed++) {
            cost_t cost;

            setting.eager_max = eager_max[i];
            cost = send_message(&setting, from, to);
            CU_ASSERT_EQUAL(cost.messages, messages);
            CU_ASSERT_EQUAL(cost.gathered[0], gathered);
            CU_ASSERT_EQUAL(cost.gathered[1], gathered);
        }
    }
}

/*
 * The arrays nine, four and one divide the same bytes into nine, four and one pieces. One piece of `nine` is empty.
 * The other arrays are other messages.
 */
static const size_t nine[] = { 1, 40000, 0, 100, 33000, 7, 511, 65536, 2 }, four[] = { 70000, 1, 0, 69156 },
    one[] = { 139157 }, mixed[] = { 9, 40000, 8, 7, 6, 5, 50000 }, large[] = { 40000, 50000 }, nothing[3];
static size_t small[PIECES_MAX];   /* filled by test_messages */

enum { BYTES = 139157, SMALL = 2496, SMALL_FILLED = 833 };

#define CUT(lengths) { lengths, IRR_TEST_COUNT(lengths) }

static const struct {
    irr_compose_t mode;
    size_t        iov_wire_max, zero_copy_min;
    cut_t         from, to;
    size_t        messages;
    uint64_t      gathered;
} messages[] = {
    /* One message with a list of pieces; sender and receiver may divide its bytes differently. */
    { IRR_COMPOSE_IOVEC, 4, 1, CUT(nine), CUT(nine), 1, 0 },
    { IRR_COMPOSE_IOVEC, 4, 1, CUT(nine), CUT(four), 1, 0 },
    { IRR_COMPOSE_IOVEC, 4, 1, CUT(four), CUT(nine), 1, 0 },
    { IRR_COMPOSE_IOVEC, 4, 1, CUT(one), CUT(four), 1, 0 },
    /* One message that is gathered, unless it has one piece. */
    { IRR_COMPOSE_GATHER, 4, 1, CUT(nine), CUT(nine), 1, BYTES },
    { IRR_COMPOSE_GATHER, 4, 1, CUT(nine), CUT(four), 1, BYTES },
    { IRR_COMPOSE_GATHER, 4, 1, CUT(four), CUT(nine), 1, BYTES },
    { IRR_COMPOSE_GATHER, 4, 1, CUT(one), CUT(one), 1, 0 },
    /* A message for each piece that is not empty. */
    { IRR_COMPOSE_SPLIT, 4, SIZE_MAX, CUT(nine), CUT(nine), 8, 0 },
    { IRR_COMPOSE_SPLIT, 4, SIZE_MAX, CUT(four), CUT(four), 3, 0 },
    { IRR_COMPOSE_SPLIT, 4, SIZE_MAX, CUT(one), CUT(one), 1, 0 },
    /*
     * Large pieces are separate messages if the transport does not copy them. Small pieces travel together in the
     * fastest form.
     */
    { IRR_COMPOSE_AUTO, 4, SIZE_MAX, CUT(nine), CUT(nine), 1, 0 },
    { IRR_COMPOSE_AUTO, 4, 40000, CUT(nine), CUT(nine), 3, 0 },
    { IRR_COMPOSE_AUTO, 4, 40000, CUT(mixed), CUT(mixed), 3, 0 },
    { IRR_COMPOSE_AUTO, 4, 40000, CUT(large), CUT(large), 2, 0 },
    { IRR_COMPOSE_AUTO, 4, 40000, CUT(one), CUT(one), 1, 0 },
    /* A thousand small pieces. */
    { IRR_COMPOSE_AUTO, 4, 32768, CUT(small), CUT(small), 1, SMALL },
    { IRR_COMPOSE_AUTO, SIZE_MAX, 32768, CUT(small), CUT(small), 1, 0 },
    { IRR_COMPOSE_SPLIT, 4, SIZE_MAX, CUT(small), CUT(small), SMALL_FILLED, 0 }
};

IRR_TEST(test_messages, "messages of many pieces, by mode and transport")
{
    size_t bytes = 0, filled = 0;

    for (size_t i = 0; i < PIECES_MAX; i++) {
        small[i] = i % 6;
        bytes += small[i];
        filled += small[i] > 0;
    }
    CU_ASSERT(bytes == SMALL && filled == SMALL_FILLED);
    for (size_t i = 0; i < IRR_TEST_COUNT(messages); i++) {
        const setting_t setting = {
            .mode = messages[i].mode, .iov_wire_max = messages[i].iov_wire_max,
            .zero_copy_min = messages[i].zero_copy_min
        };

        expect_cost(setting, messages[i].from, messages[i].to, messages[i].messages, messages[i].gathered);
    }
}

/* In every mode, a message without bytes is sent. A transport without lists gets messages of one piece. */
IRR_TEST(test_all_modes, "empty messages, and transports without lists")
{
    const cut_t once = { nothing, 1 }, thrice = CUT(nothing), by_nine = CUT(nine), by_one = CUT(one);

    for (int mode = 0; mode < IRR_COMPOSE_COUNT; mode++) {
        setting_t setting = { .mode = (irr_compose_t)mode, .iov_wire_max = 4, .zero_copy_min = SIZE_MAX };

        expect_cost(setting, once, once, 1, 0);
        expect_cost(setting, thrice, thrice, 1, 0);
        setting = (setting_t){
            .mode = (irr_compose_t)mode, .iov_wire_max = 1, .zero_copy_min = 40000, .pieces_max = 1
        };
        expect_cost(setting, by_nine, by_nine, 8, 0);
        expect_cost(setting, by_one, by_one, 1, 0);
    }
}

IRR_TEST_MAIN("compose", 60)

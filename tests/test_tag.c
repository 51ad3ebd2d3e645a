/*
 * test_tag.c - the fields of tags and keys, and masks.
 */
#include "irr_test.h"

#include "exec/tag.h"
#include "transport/key.h"

/* Each field of a tag has its bits, 14 in all. */
static void test_tags(void)
{
    uint16_t base = irr_tag_base(0x15), body = irr_tag(base, IRR_TAG_BODY, 7);

    CU_ASSERT_EQUAL(IRR_TAG_BITS, 14);
    CU_ASSERT_EQUAL(base, 0x540);
    CU_ASSERT_EQUAL(irr_tag(base, IRR_TAG_DATA, 7), 0x547);
    CU_ASSERT_EQUAL(body, 0x567);
    CU_ASSERT_EQUAL(irr_tag_kind(body), IRR_TAG_BODY);
    CU_ASSERT_EQUAL(irr_tag_base(0x15 + 3 * IRR_TAG_SEQUENCES), base);
    CU_ASSERT_EQUAL(irr_tag(irr_tag_base(0xff), IRR_TAG_SYNC, IRR_TAG_STAGES_MAX), (1u << 14) - 1);
}

static void test_keys(void)
{
    uint64_t key = irr_key(0x1234, 0xfedc, 0x789abc);

    CU_ASSERT_EQUAL(key, UINT64_C(0x1234fedc789abc));
    CU_ASSERT_EQUAL(irr_key(0xffff, 0xffff, IRR_CHANNEL_RANKS_MAX - 1), (UINT64_C(1) << 56) - 1);
    CU_ASSERT_EQUAL(irr_key_mask(0x00f0) & key, UINT64_C(0x123400d0000000));
}

/* A mask for a range of exchanges matches messages of one kind and of any stage, and of no other exchange. */
static void test_sequence_mask(void)
{
    uint16_t mask = irr_tag_sequence_mask(3), wanted = irr_tag_base(0x18) & mask;

    for (uint32_t sequence = 0; sequence < 0x40; sequence++) {
        for (int kind = IRR_TAG_DATA; kind <= IRR_TAG_SYNC; kind++) {
            uint16_t tag = irr_tag(irr_tag_base(sequence), (irr_tag_kind_t)kind, kind + 1);

            CU_ASSERT_EQUAL((tag & mask) == wanted, kind == IRR_TAG_DATA && sequence >= 0x18 && sequence < 0x20);
        }
    }
}

IRR_TEST_MAIN("tag", 10,
    { "the fields of a tag", test_tags },
    { "the fields of a key", test_keys },
    { "the mask for a range of exchanges", test_sequence_mask })

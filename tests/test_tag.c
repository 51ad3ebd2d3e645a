/*
 * test_tag.c - the fields of a tag, and what probes find.
 */
#include "irr_test.h"

#include "exec/tag.h"

/* Each field of a tag has its bits, 50 in all. */
static void test_tags(void)
{
    uint64_t base = irr_tag_base(0x1234, 0x15), part = irr_tag(base, IRR_TAG_PART, 7, 0x89abc);

    CU_ASSERT_EQUAL(IRR_TAG_BITS, 50);
    CU_ASSERT_EQUAL(base, UINT64_C(0x48d054000000));
    CU_ASSERT_EQUAL(irr_tag(base, IRR_TAG_DATA, 7, 0x89abc), UINT64_C(0x48d054789abc));
    CU_ASSERT_EQUAL(part, UINT64_C(0x48d056789abc));
    CU_ASSERT_EQUAL(irr_tag_kind(part), IRR_TAG_PART);
    CU_ASSERT_EQUAL(irr_tag_sender(part), 0x89abc);
    CU_ASSERT_EQUAL(irr_tag_base(0x1234, 0x15 + 3 * IRR_TAG_SEQUENCES), base);
    CU_ASSERT_EQUAL(irr_tag(irr_tag_base(0xffff, 0xff), IRR_TAG_SYNC, IRR_TAG_STAGES_MAX, IRR_TAG_RANKS_MAX - 1),
                    (UINT64_C(1) << 50) - 1);
}

/* A probe for what comes in a range of exchanges finds one kind of any stage and sender, and no other exchange. */
static void test_sequence_mask(void)
{
    uint64_t wanted = irr_tag_base(0x1234, 0x18) & irr_tag_sequence_mask(3);

    for (uint32_t sequence = 0; sequence < 0x40; sequence++) {
        for (int kind = IRR_TAG_DATA; kind <= IRR_TAG_SYNC; kind++) {
            uint64_t tag = irr_tag(irr_tag_base(0x1234, sequence), (irr_tag_kind_t)kind, kind + 1, 77);

            CU_ASSERT_EQUAL((tag & irr_tag_sequence_mask(3)) == wanted,
                            kind == IRR_TAG_DATA && sequence >= 0x18 && sequence < 0x20);
            CU_ASSERT_EQUAL(tag & irr_tag_comm_mask(), irr_tag_base(0x1234, 0));
        }
    }
    CU_ASSERT_NOT_EQUAL(irr_tag_base(0x1235, 0x18) & irr_tag_sequence_mask(3), wanted);
}

/* A probe for leads finds data and headers of any sender, and nothing else. */
static void test_lead_mask(void)
{
    uint64_t base = irr_tag_base(0x1234, 0x15), mask = irr_tag_lead_mask();
    uint64_t wanted = irr_tag(base, IRR_TAG_DATA, 3, 0) & mask;

    for (int kind = IRR_TAG_DATA; kind <= IRR_TAG_SYNC; kind++) {
        uint64_t tag = irr_tag(base, (irr_tag_kind_t)kind, 3, 77);

        CU_ASSERT_EQUAL((tag & mask) == wanted, kind <= IRR_TAG_HEADER);
    }
    CU_ASSERT_NOT_EQUAL(irr_tag(base, IRR_TAG_DATA, 4, 77) & mask, wanted);
    CU_ASSERT_NOT_EQUAL(irr_tag(irr_tag_base(0x1234, 0x16), IRR_TAG_DATA, 3, 77) & mask, wanted);
    CU_ASSERT_NOT_EQUAL(irr_tag(irr_tag_base(0x1235, 0x15), IRR_TAG_DATA, 3, 77) & mask, wanted);
}

int main(void)
{
    static const irr_test_case_t cases[] = {
        { "the fields of a tag", test_tags },
        { "what a probe for leads finds", test_lead_mask },
        { "what a probe for a range of exchanges finds", test_sequence_mask },
        { NULL, NULL }
    };

    return irr_test_main("tag", cases, 10);
}

/*
 * test_tag.c - the fields of a tag, and what a probe for the leads of a stage finds.
 */
#include "irr_test.h"

#include "exec/tag.h"

/* Each field of a tag has its bits, 48 in all. */
static void test_tags(void)
{
    uint64_t base = irr_tag_base(0x1234, 0x15), part = irr_tag(base, IRR_TAG_PART, 7, 0x89abc);

    CU_ASSERT_EQUAL(IRR_TAG_BITS, 48);
    CU_ASSERT_EQUAL(base, UINT64_C(0x123454000000));
    CU_ASSERT_EQUAL(irr_tag(base, IRR_TAG_DATA, 7, 0x89abc), UINT64_C(0x123454789abc));
    CU_ASSERT_EQUAL(part, UINT64_C(0x123456789abc));
    CU_ASSERT_EQUAL(irr_tag_kind(part), IRR_TAG_PART);
    CU_ASSERT_EQUAL(irr_tag_sender(part), 0x89abc);
    CU_ASSERT_EQUAL(irr_tag_base(0x1234, 0x355), base);
    CU_ASSERT_EQUAL(irr_tag(irr_tag_base(0xffff, 0x3f), IRR_TAG_SYNC, IRR_TAG_STAGES_MAX, IRR_TAG_RANKS_MAX - 1),
                    UINT64_C(0xffffffffffff));
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
        { NULL, NULL }
    };

    return irr_test_main("tag", cases, 10);
}

/*
 * coll_irr_spell.h - how far a misspelt name is from a known one.  Pure; knows nothing of Open MPI.
 */
#ifndef MCA_COLL_IRR_SPELL_H
#define MCA_COLL_IRR_SPELL_H

/*
 * The number of letters to insert, delete or replace, and of neighbours to swap, that turn one name into the other.
 * Names longer than 63 letters are as far apart as can be, unless they are equal.
 */
int mca_coll_irr_distance(const char *one, const char *other);

/* The largest distance at which a known name is worth suggesting for this one. */
int mca_coll_irr_distance_max(const char *name);

#endif

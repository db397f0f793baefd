/* SPDX-License-Identifier: MIT */
/*
 * Private to vm/: what is known of a clause without running it, from the effects column
 * of ops.def.
 */
#ifndef VM_IMAGE_CLAUSE_EFFECTS_H
#define VM_IMAGE_CLAUSE_EFFECTS_H

#include "vm/program.h"

/*
 * Whether the clause is straight code that makes one tuple, of constants, and
 * counts under it. Its code must be verified.
 */
bool program_is_constant(const void *image, const struct program_clause *clause);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Private to vm/: the verifier's two halves. verify.c proves the tables, then
 * verify_code.c each clause.
 */
#ifndef VM_IMAGE_VERIFY_H
#define VM_IMAGE_VERIFY_H

#include "vm/isa.h"
#include "vm/vm.h"

struct verifier {
	const void *image;
	struct verify_error *error;
};

/* Sets the error and returns STATUS_BADFMT; insn is UINT32_MAX for a table. */
int verify_fail(struct verifier *v, uint32_t insn, const char *text);

/* Needs proven tables. */
int verify_clause(struct verifier *v, const struct program_clause *clause);

static inline bool is_size(uint32_t n)
{
	return n == 1 || n == 2 || n == 4 || n == 8;
}

#endif

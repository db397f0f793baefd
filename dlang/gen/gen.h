/* SPDX-License-Identifier: MIT */
/*
 * The generator: checked tree to code, collected in d->image, and the image of all
 * programs of a run.
 */
#ifndef DLANG_GEN_GEN_H
#define DLANG_GEN_GEN_H

#include <stddef.h>

struct ast_clause;
struct dlang;
struct err;

/*
 * Requires a clause that was checked without error. Appends its code to the image.
 * STATUS_SYNTAX after it reported that the clause needs more registers than there are.
 */
int gen_clause(struct dlang *d, struct ast_clause *c);
/* All clauses generated so far as one image (malloc'ed; the caller frees). */
int gen_link(struct dlang *d, void **image, size_t *size, struct err *e);

#endif

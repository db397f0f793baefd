/* SPDX-License-Identifier: MIT */
/*
 * The generator: checked tree to code, which it collects in d->image; and the image of
 * all programs of a run.
 */
#ifndef DLANG_GEN_GEN_H
#define DLANG_GEN_GEN_H

#include <stddef.h>

struct ast_clause;
struct dlang;
struct err;

/*
 * Appends the code of a clause, which was checked without error. STATUS_SYNTAX: it needs
 * more registers than there are (D_NOREG), which is reported.
 */
int gen_clause(struct dlang *d, struct ast_clause *c);
/* Links all clauses so far into one image (malloc'ed; the caller frees it). */
int gen_link(struct dlang *d, void **image, size_t *size, struct err *e);

#endif

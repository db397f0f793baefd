/* SPDX-License-Identifier: MIT */
/* Stacks in aggregations of two outputs, for a flame graph. */
#ifndef CMD_DIFF_STACKS_H
#define CMD_DIFF_STACKS_H

#include "cmd/diff_table.h"

/*
 * Of a table that diff_table_join() has joined: the name of the first aggregation of
 * count() or sum() with a stack among its keys, "@name, function"; NULL: none has any.
 * Valid as long as the table.
 */
const char *diff_stacks_name(const struct diff_table *t);
/*
 * Appends the rows of that name that one of the files has, as -O folded does: a line
 * "key;root;...;leaf VALUE" each. Values that are not positive are left out. How many
 * lines there are.
 */
size_t diff_stacks_fold(const struct diff_table *t, int which, const char *name,
			struct strbuf *to);

#endif

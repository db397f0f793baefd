/* SPDX-License-Identifier: MIT */
/*
 * Reads folded stacks that an earlier run saved.
 */
#ifndef TRACER_PICTURES_FOLDED_FILE_H
#define TRACER_PICTURES_FOLDED_FILE_H

#include "tracer/pictures/tree.h"
#include "vm/base/host/err.h"

#define FOLDED_FILE_MAX (UINT64_C(256) << 20) /* bytes */

/* Adds the stacks of such lines in memory. How many there are. */
size_t folded_text_read(const struct strbuf *text, enum tree_run run, struct tree *to);
/*
 * Adds the stacks of a file to the tree, as TREE_BASE. A line is "root;...;leaf VALUE";
 * empty lines, and lines that do not end in a positive number, are left out. IO: the
 * file cannot be read or is too large. BADFMT: no line is a stack.
 */
int folded_file_read(const char *path, struct tree *to, struct err *e);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * CFI rows, for walking the stacks of a target. They are made from the unwind tables of
 * its modules and sent to the keeper before the sites that need them.
 */
#ifndef TRACER_TARGETS_CFI_ROWS_H
#define TRACER_TARGETS_CFI_ROWS_H

#include "tracer/targets/target.h"

/* Whether a clause of the image takes a stack; whether one prints the name of an
 * address. */
bool cfi_rows_are_wanted(const void *image);
/* Whether this clause takes one. */
bool cfi_rows_are_wanted_by(const void *image, uint32_t clause);
/* The same for stacks of Python. */
bool cfi_rows_python_is_wanted(const void *image);
bool cfi_rows_names_are_wanted(const void *image);

/*
 * Sends the rows of modules whose rows the keeper does not have. A module without unwind
 * tables, or with unreadable ones, has a row that says so: there frames are found by
 * frame pointers, as in code of no module.
 */
int cfi_rows_send(struct tracer *t, struct target *target, struct err *e);
/* Makes the keeper forget the sites and the rows in a range of a module that was
 * unmapped. */
void cfi_rows_forget(struct tracer *t, struct target *target, const struct module *m,
		     const struct addr_range *range);

#endif

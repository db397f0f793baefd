/* SPDX-License-Identifier: MIT */
/*
 * Rows for walking the stacks of a target: made of its modules' unwind tables and
 * sent to the keeper before the sites that need them.
 */
#ifndef TRACER_TARGETS_CFI_ROWS_H
#define TRACER_TARGETS_CFI_ROWS_H

#include "tracer/targets/target.h"

/* Whether any clause asks for a stack, and any for the name of an address. */
bool cfi_rows_are_wanted(const void *image);
bool cfi_rows_names_are_wanted(const void *image);

/*
 * Sends rows of the modules that have none yet. A module without unwind tables, or
 * out of reach, is left out: frames in it are found by frame pointers.
 */
int cfi_rows_send(struct tracer *t, struct target *target, struct err *e);
/* KEEPER_REQ_FORGET for the module, which has gone: its sites and its rows. */
void cfi_rows_forget(struct tracer *t, struct target *target, const struct module *m);

#endif

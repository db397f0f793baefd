/* SPDX-License-Identifier: MIT */
/*
 * Rows for walking the stacks of a target: made of its modules' unwind tables and
 * sent to the keeper before the sites that need them.
 */
#ifndef TRACER_ROWS_H
#define TRACER_ROWS_H

#include "tracer/trace.h"

/* Whether any clause asks for a stack, and any for the name of an address. */
bool rows_are_wanted(const void *image);
bool rows_names_are_wanted(const void *image);

/*
 * Sends rows of the modules that have none yet. A module without unwind tables, or
 * out of reach, is left out: frames in it are found by frame pointers.
 */
int rows_send(struct tracer *t, struct target *target, struct err *e);
/* KEEPER_REQ_FORGET for the module, which has gone: its sites and its rows. */
void rows_forget(struct tracer *t, struct target *target, const struct module *m);

#endif

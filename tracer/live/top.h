/* SPDX-License-Identifier: MIT */
/*
 * --top: the aggregations of a run on a terminal, redrawn while it goes on. One
 * aggregation is shown at a time, its rows sorted by the value or by a key.
 *
 * Names and strings come from targets: of these only printable ASCII characters reach
 * the terminal, others are shown as '?'.
 */
#ifndef TRACER_LIVE_TOP_H
#define TRACER_LIVE_TOP_H

#include "tracer/consume/consume.h"
#include "tracer/output/ustack.h"
#include "vm/base/host/err.h"

struct top;

/* Why there can be no view on this output, out_fd of the data; NULL: there can. */
const char *top_refusal(int out_fd);
/*
 * Takes the terminal, standard input and output, until top_end(). c and names (NULL:
 * none) are borrowed. UNSUP: the type of the terminal is not known. Handlers of SIGINT,
 * SIGTERM, SIGQUIT and SIGHUP are to be installed before, and must lead to top_end().
 */
int top_begin(struct top **out, struct consumer *c, struct ustack *names,
	      struct err *e);
/* Acts on the keys that were pressed. True: the user wants to end the run. */
bool top_keys(struct top *t);
/* Takes the present values and draws them. */
void top_draw(struct top *t);
/* Gives the terminal back as it was. t may be NULL. */
void top_end(struct top *t);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * How far the preparation is, on a terminal: one line that is redrawn in its place once
 * preparing has taken a second (option progress), and erased before anything else is
 * printed.
 *
 *	planning sites: 45,120 of 86,548 (node)
 *
 * Long work below the tracer keeps it alive with pulse().
 */
#ifndef TRACER_OUTPUT_PROGRESS_H
#define TRACER_OUTPUT_PROGRESS_H

#include "tracer/base/core.h"

#include <stdatomic.h>

/*
 * Preparing begins. Until progress_end() pulse() redraws the line, and says that the work
 * is to be given up once tracing is to end. Nothing is drawn unless stderr is a terminal
 * of which this process has the foreground.
 */
void progress_begin(struct tracer *t);
/* Erases the line. Also if nothing has begun. */
void progress_end(struct tracer *t);

/*
 * What is done now, e.g. "planning sites", for an object of this name, how much is done,
 * and of how many (0: not known). A pulse: true means the same. what is a literal.
 */
bool progress_at(struct tracer *t, const char *what, const char *name, uint64_t done,
		 uint64_t total);

/*
 * Until progress_ignore() another process counts in *word what is done, after what was
 * done at the last progress_at(); flag is added to it when tracing is to end.
 */
void progress_watch(struct tracer *t, _Atomic uint32_t *word, uint32_t flag);
void progress_ignore(struct tracer *t);

void progress_free(struct progress *p);

#endif

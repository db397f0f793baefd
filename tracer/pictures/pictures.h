/* SPDX-License-Identifier: MIT */
/*
 * The pictures of a run, which the options name: made from its records, and from what
 * the aggregations hold at its end. The files are opened before tracing, so that a wrong
 * path is known at once.
 */
#ifndef TRACER_PICTURES_PICTURES_H
#define TRACER_PICTURES_PICTURES_H

#include "tracer/pictures/pictures_config.h"
#include "vm/base/host/err.h"

struct agg_value;
struct consumer;
struct record;
struct out;
struct ustack;
struct pictures;

/*
 * *out becomes NULL if no option asks for a picture. Fails if a file cannot be opened or
 * read, or if the program has no aggregation to draw.
 */
int pictures_open(const struct pictures_config *config, struct pictures **out,
		  struct err *e);
/* Whether pictures_record() and pictures_removed() are to be called. */
bool pictures_want_records(const struct pictures *p);
/* A record whose actions are about to be performed. */
void pictures_record(struct pictures *p, struct consumer *c, const struct record *r,
		     const struct probe *probe);
/* clear() or trunc() has removed the value of a row. */
void pictures_removed(struct pictures *p, const struct agg_value *x);

/* Times are ns of CLOCK_MONOTONIC; p may be NULL. Targets run from now on. */
void pictures_start(struct pictures *p, uint64_t now);
/* When to call pictures_serve() next; UINT64_MAX: not. */
uint64_t pictures_wakeup(const struct pictures *p);
void pictures_serve(struct pictures *p, struct consumer *c, uint64_t now);
void pictures_free(struct pictures *p);

/*
 * Writes the files, at the end of tracing, before the aggregations are printed: those
 * that became a flame graph or a profile are not printed then, unless the option
 * stackformat asks for folded stacks. u: the names of addresses; NULL: there are none.
 * Prints notices and failures to o; false after a failure.
 */
bool pictures_write(struct pictures *p, struct consumer *c, struct ustack *u,
		    struct out *o);

#endif

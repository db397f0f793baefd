/* SPDX-License-Identifier: MIT */
/*
 * The pictures of a run, which the options name: made from what the aggregations hold at
 * its end. The files are opened before tracing, so that a wrong path is known at once.
 */
#ifndef TRACER_PICTURES_PICTURES_H
#define TRACER_PICTURES_PICTURES_H

#include "tracer/base/options.h"
#include "vm/base/host/err.h"

struct consumer;
struct out;
struct ustack;
struct pictures;

/*
 * *out becomes NULL if no option asks for a picture. Fails if a file cannot be opened or
 * read, or if the program (image, verified, borrowed) has no aggregation to draw. opt is
 * borrowed.
 */
int pictures_open(const struct options *opt, const void *image, struct pictures **out,
		  struct err *e);
void pictures_free(struct pictures *p);

/*
 * Writes the files, at the end of tracing, before the aggregations are printed: one that
 * was drawn is not printed then, unless the option stackformat asks for its text. u: the
 * names of addresses; NULL: there are none. Prints notices and failures to o; false after
 * a failure.
 */
bool pictures_write(struct pictures *p, struct consumer *c, struct ustack *u,
		    struct out *o);

#endif

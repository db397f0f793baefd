/* SPDX-License-Identifier: MIT */
/*
 * The pictures of a run, which the options name: made from its records, and from what
 * the aggregations hold at its end. The files are opened before tracing, so that a wrong
 * path is known at once.
 */
#ifndef TRACER_PICTURES_PICTURES_H
#define TRACER_PICTURES_PICTURES_H

#include "tracer/base/options.h"
#include "vm/base/host/err.h"

struct consumer;
struct probe;
struct probes;
struct record;
struct out;
struct ustack;
struct pictures;

/* What pictures are made of; all is borrowed. */
struct pictures_config {
	const struct options *options;
	const void *image; /* verified */
	const struct probes *probes;
	/* The name of a process that may have ended, or NULL: it is not known. */
	const char *(*process_name)(void *ctx, uint32_t pid);
	void *ctx;
};

/*
 * *out becomes NULL if no option asks for a picture. Fails if a file cannot be opened or
 * read, or if the program has no aggregation to draw.
 */
int pictures_open(const struct pictures_config *config, struct pictures **out,
		  struct err *e);
/* Whether pictures_record() is to be called. */
bool pictures_want_records(const struct pictures *p);
/* A record that is printed now. */
void pictures_record(struct pictures *p, const struct record *r,
		     const struct probe *probe);
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

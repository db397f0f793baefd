/* SPDX-License-Identifier: MIT */
/*
 * The profile of a run: every aggregation of count() or sum() with a stack among its keys
 * is a type of values. Keys that are no stack are labels: key1, key2, by their position.
 */
#ifndef TRACER_PICTURES_PROFILE_FILE_H
#define TRACER_PICTURES_PROFILE_FILE_H

#include "tracer/pictures/pictures_config.h"
#include "vm/base/host/err.h"

struct consumer;
struct out;
struct profile_file;
struct ustack;

/* INVAL: no aggregation has stacks. IO: the file cannot be opened, or is a terminal. */
int profile_file_open(const struct pictures_config *config, struct profile_file **out,
		      struct err *e);
void profile_file_free(struct profile_file *f); /* NULL is nothing */
/*
 * Writes the file. What is in it is not printed then, unless the option stackformat asks
 * for text. u: as in pictures_write(). False after a failure, which o says.
 */
bool profile_file_write(struct profile_file *f, struct consumer *c, struct ustack *u,
			struct out *o);

#endif

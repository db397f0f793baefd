/* SPDX-License-Identifier: MIT */
/*
 * The names of Python frames in stacks, as the keeper writes them (KEEPER_REQ_NAMES).
 */
#ifndef TRACER_OUTPUT_PYTHON_NAMES_H
#define TRACER_OUTPUT_PYTHON_NAMES_H

#include "vm/base/host/err.h"
#include "vm/base/host/strbuf.h"
#include "vm/base/python_name.h"

struct python_names;

/* Maps a file of PYTHON_NAMES_MAX bytes, which stays the caller's. */
int python_names_open(int fd, struct python_names **out, struct err *e);
/* Those of a recording: none, until they are added. The texts are copied; the first name
 * of a word counts. */
struct python_names *python_names_new(void);
void python_names_set(struct python_names *n, uint64_t word, const char *function,
		      const char *file, uint32_t line);
void python_names_close(struct python_names *n);

struct python_name {
	const char *function, *file; /* valid until python_names_close() */
	uint32_t line;		     /* 0: not known */
};

/*
 * What a word of a stack stands for that python_is_frame(). It may be a number
 * that a target has made up: then it is "?", or some text of the names. n may be NULL.
 */
struct python_name python_names_find(const struct python_names *n, uint64_t word);

/* Appends "function (file:line)"; a line of 0 is "?". */
void python_name_add(struct strbuf *to, const char *function, const char *file,
		     uint64_t line);

/* Frames that have no name because there were too many different ones. */
uint64_t python_names_lost(const struct python_names *n);

#endif

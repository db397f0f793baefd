/* SPDX-License-Identifier: MIT */
/*
 * The names of Python frames, in the file of KEEPER_REQ_NAMES: equal ones are there once,
 * so that equal stacks are equal. What one process can add is limited, and all of it.
 */
#ifndef TRACER_KEEPER_PYTHON_WORDS_H
#define TRACER_KEEPER_PYTHON_WORDS_H

#include "tracer/keeper/os/link.h"
#include "vm/base/python_name.h"

struct python_words;

/* Maps the file. NULL: *e says why not. */
struct python_words *python_words_open(struct link_memory file, struct err *e);
void python_words_close(struct python_words *n);

/* A function and its file, of at most PYTHON_NAME_MAX bytes each, terminated. */
struct python_name {
	const char *function, *file;
	uint32_t line; /* 0: not known */
};

/*
 * The word that stands for the frame in stacks. *used counts the bytes that a process has
 * added; beyond its limit, new names are lost, and counted.
 */
uint64_t python_words_of(struct python_words *n, uint64_t *used,
			 const struct python_name *name);

#endif

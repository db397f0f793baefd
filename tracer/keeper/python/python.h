/* SPDX-License-Identifier: MIT */
/*
 * The frames of a Python program, from the interpreter's own structures in its memory. A
 * target may have put anything there: every chain, table and text has a limit, and what
 * makes no sense ends the walk.
 */
#ifndef TRACER_KEEPER_PYTHON_PYTHON_H
#define TRACER_KEEPER_PYTHON_PYTHON_H

#include "tracer/keeper/python/words.h"
#include "tracer/keeper/space/stacks.h"
#include "tracer/keeper/space/task.h"

/*
 * Writes a line "function (file:line)" for each frame of the thread, the innermost first,
 * at most n, between which there are line feeds, into buf of cap bytes, terminated. The
 * file is without its directories. Empty if the thread runs no Python. The length.
 */
size_t python_stack(struct task *task, char *buf, size_t cap, uint32_t n);

/*
 * Stores up to n frames of the thread's stack as stacks_walk() does, with the Python
 * frames that each native frame evaluates in its place, named in names
 * (vm/base/python_name.h), and returns how many. 0: the thread runs no Python.
 */
uint32_t python_merge(struct task *task, struct stacks_thread *t,
		      struct python_words *names, uint64_t *pcs, uint32_t n);

#endif

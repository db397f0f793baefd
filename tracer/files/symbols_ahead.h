/* SPDX-License-Identifier: MIT */
/*
 * The functions of many objects: other threads load those of the objects that come next
 * while this one looks for probes in one. Errors, and what is left out, are reported by
 * this thread in its order, for it loads again what could not be loaded well:
 *
 *	objects	| used | this thread's | loaded | a helper's | nobody's yet ...
 */
#ifndef TRACER_FILES_SYMBOLS_AHEAD_H
#define TRACER_FILES_SYMBOLS_AHEAD_H

#include "symbols/symbols.h"
#include "tracer/base/core.h"

struct symbols_ahead;

/* Objects that a description names; in that order they will be wanted. */
struct symbols_choice {
	const struct modules *modules;
	const char *field;
	bool (*is_left_out)(const struct module *m); /* it will not be wanted */
};

/*
 * Begins to load their functions, and sets t->symbols_ahead. Not if they are few or
 * small, or there is no processor for it. The modules must live until
 * symbols_ahead_end().
 */
void symbols_ahead_begin(struct tracer *t, const struct symbols_choice *choice);
/* Ends it; what has not been taken is freed. Also if nothing has begun. */
void symbols_ahead_end(struct tracer *t);

/*
 * Gives m its functions if a helper loads them, for which it waits. False: m is to be
 * loaded by the caller. a may be NULL.
 */
bool symbols_ahead_take(struct symbols_ahead *a, struct module *m);
/* Frees what has not been taken, and loads nothing more. a may be NULL. */
void symbols_ahead_stop(struct symbols_ahead *a);

/* modules_select() between begin and end. */
size_t symbols_ahead_select(struct tracer *t, const struct symbols_choice *choice,
			    void (*found)(void *ctx, struct module *m), void *ctx);

#endif

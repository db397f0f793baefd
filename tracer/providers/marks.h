/* SPDX-License-Identifier: MIT */
/*
 * Marks: places inside of functions that debug data names, for the pid and fpid
 * providers.
 *
 *	server.c@1234	where the statements of a line begin, inlined copies included
 *	inlined		where inlined copies of functions are entered
 */
#ifndef TRACER_PROVIDERS_MARKS_H
#define TRACER_PROVIDERS_MARKS_H

#include "tracer/base/provider.h"
#include "vm/base/host/arena.h"

/* What the names of a description ask for. */
struct marks_request {
	struct tracer *t;
	struct module *module;
	const char *function, *name; /* fields of the description */
};

struct mark {
	uint64_t value;
	const char *function; /* NULL: the function that holds the value */
	const char *name;     /* of the probe */
};

/* Those of one module, by value. */
struct marks {
	struct {
		struct mark *data;
		size_t len, cap;
	} list;
	struct arena arena; /* has the names */
};

/* Whether a probe's name is that of a mark: only a description that asks for it in its
 * name field matches it, an empty one does not. */
bool marks_is_line(const char *name);
bool marks_is_inlined(const char *name);
static inline bool marks_is_name(const char *name)
{
	return marks_is_line(name) || marks_is_inlined(name);
}

/* Finds them. The caller releases *out, which is empty if there are none. */
void marks_find(const struct marks_request *r, struct marks *out);
void marks_release(struct marks *m);
/* The index of the first mark at or above value. */
size_t marks_first(const struct marks *m, uint64_t value);
/* Sets the hint of a description that matched nothing. */
void marks_explain(const struct marks_request *r, struct match *m);

#endif

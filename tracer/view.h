/* SPDX-License-Identifier: MIT */
/*
 * A module as hook/ wants to have it, read from its file: addresses are the file's own
 * (st_value), so a view is good for every process that has mapped that file, wherever.
 */
#ifndef TRACER_VIEW_H
#define TRACER_VIEW_H

#include "hook/target.h"
#include "symbols/symbols.h"

struct view {
	struct hook_module module;
	struct hook_branches *branches;
	struct view_own *own; /* private */
};

/* Needs module_load_symbols() first. Freed by view_free(). The errors of
 * module_read_code(). */
int view_new(const struct module *m, struct view **out, struct err *e);
void view_free(struct view *v);

/* Views in the order of their last use; a zeroed one is empty. */
struct views {
	struct {
		struct module_stamp stamp;
		struct view *view;
	} * data; /* vec */
	size_t len, cap;
};

/*
 * The view of the module's file, read only if it is not among the views. NULL: it cannot
 * be read. It stays valid until views_trim() or views_release().
 */
const struct view *views_get(struct views *vs, const struct module *m);
/* Frees all but the n used last. */
void views_trim(struct views *vs, size_t n);
void views_release(struct views *vs);

#endif

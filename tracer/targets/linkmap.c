/* SPDX-License-Identifier: MIT */
/*
 * From glibc 2.35 on the loader's struct r_debug of each link map points to the next
 * (r_next, at the end of a struct of version 2). They are in the order of their numbers,
 * because none is ever removed. The memory may be damaged, or made to mislead, so the
 * loops are limited: all lists together have no more objects than there are mappings.
 */
#include "tracer/targets/linkmap.h"

#include <link.h>
#include <stddef.h>

#include "tracer/targets/target.h"

#define MAPS_MAX 64 /* glibc: 16 */

/* As in newer <link.h>. */
struct debug_extended {
	struct r_debug base;
	uint64_t next; /* address of the next */
};

static void name_module(const struct modules *ms, taddr dynamic, unsigned number)
{
	struct module *m = modules_at(ms, dynamic);

	if (m && !m->link_map)
		module_set_link_map(m, number);
}

/*
 * Calls name_module() for each object of a list that has a dynamic section. *left is
 * how many objects there can still be; false if the list has more.
 */
static bool name_objects(const struct target *target, const struct modules *ms,
			 const struct debug_extended *d, unsigned number, size_t *left)
{
	uint64_t next = (uintptr_t)d->base.r_map;
	struct link_map object;

	for (; next && *left; --*left) {
		if (target_read(target, taddr_of(next), &object, sizeof(object)))
			return true;
		name_module(ms, taddr_of((uintptr_t)object.l_ld), number);
		next = (uintptr_t)object.l_next;
	}
	return !next;
}

/* The loader is one object, but in the list of every link map. */
static void unname_loader(const struct modules *ms, taddr r_debug)
{
	struct module *loader = modules_at(ms, r_debug);

	if (loader)
		module_set_link_map(loader, 0);
}

/* Replaces d by the struct that follows it; false: there is none, as after version 1. */
static bool read_next(const struct target *target, struct debug_extended *d)
{
	return d->next && d->base.r_version != 1 &&
	       target_read(target, taddr_of(d->next), d, sizeof(*d)) == 0;
}

bool linkmap_name_modules(const struct target *target, const struct modules *ms)
{
	struct debug_extended d = {.next = target->r_debug.v};
	size_t left = ms->nmappings;
	bool is_good = true;

	for (unsigned number = 0; is_good && read_next(target, &d); number++)
		is_good = number < MAPS_MAX &&
			  (!number || name_objects(target, ms, &d, number, &left));
	unname_loader(ms, target->r_debug);
	return is_good;
}

bool linkmap_is_consistent(const struct target *target)
{
	struct debug_extended d = {.next = target->r_debug.v};
	unsigned number = 0;
	bool is_consistent = true;

	for (; is_consistent && number < MAPS_MAX && read_next(target, &d); number++)
		is_consistent = d.base.r_state == RT_CONSISTENT;
	return is_consistent && number > 0;
}

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
#include "vm/base/host/clock.h"

#define MAPS_MAX    64			      /* glibc: 16 */
#define PATIENCE_NS (500 * UINT64_C(1000000)) /* a thread may not run for so long */

/* As in newer <link.h>. */
struct debug_extended {
	struct r_debug base;
	uint64_t next; /* address of the next */
};

static void name_module(const struct modules *ms, taddr dynamic, unsigned number)
{
	struct module *m = modules_at(ms, dynamic);

	if (!m)
		return;
	m->is_listed = true;
	if (number && !m->link_map)
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
			  name_objects(target, ms, &d, number, &left);
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

/* ---- objects that no link map has yet ---- */

/* The loader adds a link map before it maps objects for it. */
static bool has_further(const struct target *target)
{
	struct debug_extended d = {.next = target->r_debug.v};

	return read_next(target, &d) && read_next(target, &d);
}

static uint64_t key_of(const struct module *m)
{
	return (uintptr_t)m;
}

static bool is_own(const struct module *m, const struct addr_range *own)
{
	return own && m->lo.v < own->hi.v && own->lo.v < m->hi.v;
}

bool linkmap_unlisted_add(struct target *target, const struct module *m,
			  const struct addr_range *own)
{
	if (!target->active || m->is_listed || is_own(m, own) || !has_further(target))
		return false;
	map_set(&target->unlisted, key_of(m), clock_now_ns());
	return true;
}

bool linkmap_unlisted_settle(struct target *target, struct module *m,
			     const struct module *now, const struct addr_range *own)
{
	uint64_t since = 0;

	map_get(&target->unlisted, key_of(m), &since);
	if (!now->is_listed && !is_own(now, own) &&
	    clock_now_ns() - since < PATIENCE_NS)
		return false;
	if (now->link_map)
		module_set_link_map(m, now->link_map);
	map_remove(&target->unlisted, key_of(m));
	return true;
}

bool linkmap_unlisted_has(const struct target *target, const struct module *m)
{
	return map_get(&target->unlisted, key_of(m), NULL);
}

void linkmap_unlisted_forget(struct target *target, const struct module *m)
{
	map_remove(&target->unlisted, key_of(m));
}

/* SPDX-License-Identifier: MIT */
/*
 * Functions as their source has them: parameters, and copies inside others.
 */
#include "symbols/types.h"

#include <stdlib.h>
#include <string.h>

#include "symbols/calling.h"
#include "symbols/demangle.h"
#include "symbols/types_own.h"

struct parameters {
	struct module_types *mt;
	struct target_function *out;
};

static bool add_parameter(void *ctx, const struct entry *seen)
{
	struct parameters *p = ctx;
	struct entry e = *seen;

	if (e.tag != ENTRY_PARAMETER)
		return true;
	if (p->out->nparams == TARGET_PARAMS_MAX)
		return false;
	types_inherit(p->mt, &e);
	p->out->params[p->out->nparams++] =
		(struct target_param){.name = e.name, .type = e.type};
	return true;
}

bool module_types_function(struct module_types *mt, uint64_t value,
			   struct target_function *out)
{
	struct types_function key = {.address = value}, *found;
	struct parameters p = {mt, out};
	struct entry e;

	types_need_index(mt);
	found = mt->functions.len ? bsearch(&key, mt->functions.data, mt->functions.len,
					    sizeof(key), types_compare_functions)
				  : NULL;
	if (!found || !dwarf_entry(mt->dwarf, found->ref, &e))
		return false;
	types_inherit(mt, &e);
	*out = (struct target_function){.result = e.type};
	dwarf_children(mt->dwarf, found->ref, add_parameter, &p);
	calling_place(mt, out);
	return true;
}

/* ---- copies ---- */

struct counting {
	struct module_types *mt;
	struct map wanted; /* refs of the function's descriptions */
	uint64_t function; /* the one that is being looked at ... */
	uint64_t last;	   /* ... and the last one with a copy */
	struct target_inlined *out;
};

static bool is_demangled(const char *link_name, const char *name)
{
	struct strbuf text = {0};
	unsigned patience = 1;
	bool found = false;

	for (int form = DEMANGLE_BARE; form <= DEMANGLE_FULL && !found; form++) {
		strbuf_reset(&text);
		found = demangle(link_name, (enum demangle_form)form, &patience,
				 &text) &&
			strcmp(text.data, name) == 0;
	}
	strbuf_release(&text);
	return found;
}

/* Where there are mangled names the others are those of many functions. */
static bool is_called(const struct entry *e, const char *name)
{
	if (!e->link_name)
		return e->name && strcmp(e->name, name) == 0;
	return strcmp(e->link_name, name) == 0 || is_demangled(e->link_name, name);
}

/* C++ has many of them, and few are asked for. */
static bool find_wanted(struct counting *c, const char *name)
{
	struct module_types *mt = c->mt;
	bool found = false;

	for (size_t i = 0; i < mt->inlines.len; i++) {
		struct entry e;

		if (!dwarf_entry(mt->dwarf, mt->inlines.data[i], &e))
			continue;
		types_inherit(mt, &e);
		if (!is_called(&e, name))
			continue;
		map_set(&c->wanted, mt->inlines.data[i], 1);
		found = true;
	}
	return found;
}

static void add_place(struct counting *c)
{
	struct target_inlined *out = c->out;
	struct entry e;

	if (c->function == c->last)
		return;
	c->last = c->function;
	if (out->nwhere++ >= ARRAY_LEN(out->where) ||
	    !dwarf_entry(c->mt->dwarf, c->function, &e))
		return;
	types_inherit(c->mt, &e);
	out->where[out->nwhere - 1] = e.name;
}

static void count_copy(void *ctx, const struct entry *e)
{
	struct counting *c = ctx;

	if (e->tag == ENTRY_FUNCTION) {
		c->function = e->ref;
	} else if (e->has_code && map_get(&c->wanted, e->origin, NULL)) {
		c->out->ncopies++;
		add_place(c);
	}
}

void module_types_inlined(struct module_types *mt, const char *name,
			  struct target_inlined *out)
{
	struct counting c = {.mt = mt, .out = out};

	*out = (struct target_inlined){0};
	types_need_index(mt);
	if (find_wanted(&c, name))
		out->is_least = !dwarf_walk(mt->dwarf, count_copy, &c);
	map_release(&c.wanted);
}

/* SPDX-License-Identifier: MIT */
/*
 * Inlined copies of functions. Debug data has one abstract description for each
 * function that may be inlined; these are few and are searched by name. The entries of
 * the copies are among those of all code, which are many: they are walked once for all
 * questions.
 */
#include "symbols/types.h"

#include <stdlib.h>
#include <string.h>

#include "symbols/elf/demangle.h"
#include "symbols/types/internal.h"
#include "vm/base/host/glob.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

#define DEMANGLED_MAX 20000 /* names for one question, about a tenth of a second */

/* ---- all copies ---- */

struct reading {
	struct module_types *mt;
	uint64_t function; /* the current one */
};

static void add_copy(void *ctx, const struct entry *e)
{
	struct reading *r = ctx;

	if (e->tag == ENTRY_FUNCTION)
		r->function = e->ref;
	else if (e->has_code && e->origin)
		*vec_push(&r->mt->copies) =
			(struct types_copy){e->ref, e->origin, r->function};
}

static void need_copies(struct module_types *mt)
{
	struct reading r = {.mt = mt};

	if (mt->copies_read == COPIES_UNREAD)
		mt->copies_read =
			dwarf_walk(mt->dwarf, add_copy, &r) ? COPIES_ALL : COPIES_SOME;
}

/* ---- the selected functions ---- */

struct question {
	struct module_types *mt;
	const char *text;
	bool is_glob, is_cut;
	const char *needle; /* demangle_needle() of a name */
	unsigned left;	    /* names that may still be demangled */
	struct map wanted;  /* refs of descriptions -> index in names */
	struct strmap by_name;
	struct {
		struct target_copied *data;
		size_t len, cap;
	} names;
};

static bool is_selected(const struct question *q, const char *name)
{
	return q->is_glob ? glob_match(q->text, name) : strcmp(q->text, name) == 0;
}

/* Whether the demangled name is meant; *bare is then its name in messages. */
static bool is_demangled(struct question *q, const char *link_name, struct strbuf *bare)
{
	struct strbuf full = {0};
	unsigned timeouts_left = 1;
	bool found = false;

	if (!strstr(link_name, q->needle))
		return false;
	if (!q->left) {
		q->is_cut = true;
		return false;
	}
	q->left--;
	if (demangle(link_name, DEMANGLE_BARE, &timeouts_left, bare))
		found = is_selected(q, bare->data) ||
			(demangle(link_name, DEMANGLE_FULL, &timeouts_left, &full) &&
			 is_selected(q, full.data));
	strbuf_release(&full);
	return found;
}

static void add_wanted(struct question *q, uint64_t ref, const char *name)
{
	uint64_t i;

	if (!strmap_get(&q->by_name, name, &i)) {
		i = q->names.len;
		*vec_push(&q->names) = (struct target_copied){.name = oom_strdup(name)};
		strmap_set(&q->by_name, name, i);
	}
	map_set(&q->wanted, ref, i);
}

/* If there is a mangled name, the plain one is shared by overloaded functions. */
static void match_description(struct question *q, uint64_t ref, const struct entry *e)
{
	struct strbuf bare = {0};

	if (!e->link_name) {
		if (e->name && is_selected(q, e->name))
			add_wanted(q, ref, e->name);
		return;
	}
	if (is_demangled(q, e->link_name, &bare))
		add_wanted(q, ref, bare.data);
	else if (is_selected(q, e->link_name))
		add_wanted(q, ref, e->link_name);
	strbuf_release(&bare);
}

static void find_wanted(struct question *q)
{
	struct module_types *mt = q->mt;

	types_need_index(mt);
	for (size_t i = 0; i < mt->inlines.len; i++) {
		struct entry e;

		if (!dwarf_entry(mt->dwarf, mt->inlines.data[i], &e))
			continue;
		types_inherit(mt, &e);
		match_description(q, mt->inlines.data[i], &e);
	}
}

/* ---- the answer ---- */

static void add_place(struct module_types *mt, uint64_t function,
		      struct target_inlined *out)
{
	struct entry e;

	if (out->nwhere++ >= ARRAY_LEN(out->where) ||
	    !dwarf_entry(mt->dwarf, function, &e))
		return;
	types_inherit(mt, &e);
	out->where[out->nwhere - 1] = e.name;
}

static void count(struct question *q, struct target_inlined *out)
{
	const struct module_types *mt = q->mt;
	uint64_t last = 0, i;

	need_copies(q->mt);
	out->is_least = q->is_cut || mt->copies_read == COPIES_SOME;
	for (size_t k = 0; k < mt->copies.len; k++) {
		const struct types_copy *c = &mt->copies.data[k];

		if (!map_get(&q->wanted, c->origin, &i))
			continue;
		out->ncopies++;
		q->names.data[i].ncopies++;
		if (c->function != last)
			add_place(q->mt, c->function, out);
		last = c->function;
	}
}

/* By number of copies, descending, then by name. */
static int compare_copied(const void *a, const void *b)
{
	const struct target_copied *x = a, *y = b;

	if (x->ncopies != y->ncopies)
		return x->ncopies < y->ncopies ? 1 : -1;
	return strcmp(x->name, y->name);
}

static void name_first(struct question *q, struct target_inlined *out)
{
	if (q->names.len)
		qsort(q->names.data, q->names.len, sizeof(*q->names.data),
		      compare_copied);
	for (size_t i = 0; i < q->names.len; i++) {
		struct target_copied *c = &q->names.data[i];

		out->nnames += c->ncopies > 0;
		if (c->ncopies && i < ARRAY_LEN(out->names))
			out->names[i] = *c;
		else
			free(c->name);
	}
}

static void question_begin(struct question *q, struct module_types *mt,
			   const char *text)
{
	bool is_glob = glob_is_pattern(text);

	*q = (struct question){.mt = mt,
			       .text = text,
			       .is_glob = is_glob,
			       .needle = is_glob ? "" : demangle_needle(text),
			       .left = DEMANGLED_MAX};
	find_wanted(q);
}

static void question_end(struct question *q)
{
	map_release(&q->wanted);
	strmap_release(&q->by_name);
	vec_release(&q->names);
}

void module_types_inlined(struct module_types *mt, const char *text,
			  struct target_inlined *out)
{
	struct question q;

	*out = (struct target_inlined){0};
	question_begin(&q, mt, text);
	if (q.names.len)
		count(&q, out);
	name_first(&q, out);
	question_end(&q);
}

void module_types_inlined_release(struct target_inlined *in)
{
	for (size_t i = 0; i < ARRAY_LEN(in->names); i++)
		free(in->names[i].name);
	*in = (struct target_inlined){0};
}

static void visit_copy(struct question *q, const struct types_copy *c,
		       void (*visit)(void *ctx, uint64_t value, const char *name),
		       void *ctx)
{
	uint64_t value;
	struct entry e;

	if (!map_get(&q->wanted, c->origin, NULL) ||
	    !dwarf_entry_address(q->mt->dwarf, c->ref, &value) ||
	    !dwarf_entry(q->mt->dwarf, c->origin, &e))
		return;
	types_inherit(q->mt, &e);
	if (e.link_name || e.name)
		visit(ctx, value, e.link_name ? e.link_name : e.name);
}

bool module_types_copies(struct module_types *mt, const char *text,
			 void (*visit)(void *ctx, uint64_t value, const char *name),
			 void *ctx)
{
	struct question q;
	bool is_all;

	question_begin(&q, mt, *text ? text : "*");
	if (q.names.len)
		need_copies(mt);
	is_all = !q.is_cut && mt->copies_read != COPIES_SOME;
	for (size_t i = 0; q.names.len && i < mt->copies.len; i++)
		visit_copy(&q, &mt->copies.data[i], visit, ctx);
	for (size_t i = 0; i < q.names.len; i++)
		free(q.names.data[i].name);
	question_end(&q);
	return is_all;
}

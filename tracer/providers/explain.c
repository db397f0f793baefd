/* SPDX-License-Identifier: MIT */
#include "tracer/providers/explain.h"

#include <stdio.h>
#include <string.h>

#include "tracer/base/core.h"
#include "tracer/output/out.h"
#include "tracer/providers/suggest.h"
#include "tracer/targets/target.h"
#include "tracer/targets/typing.h"
#include "vm/base/host/glob.h"
#include "vm/base/str.h"

#define NEAREST_MAX 3

/* ---- inlined copies ---- */

/* "'a', 'b' and 2 more functions" */
static void add_places(struct strbuf *text, const struct target_inlined *in)
{
	size_t n = min_u64(in->nwhere, ARRAY_LEN(in->where)), shown = 0;

	for (size_t i = 0; i < n; i++)
		if (in->where[i])
			strbuf_printf(text, "%s'%s'", shown++ ? ", " : "",
				      in->where[i]);
	n = in->nwhere - shown;
	if (n)
		strbuf_printf(text, "%s%zu %sfunction%s", shown ? " and " : "", n,
			      shown ? "more " : "", n == 1 ? "" : "s");
}

static bool find_copies(const struct explain *x, const struct module *object,
			bool in_full, struct target_inlined *out)
{
	return x->t->typing &&
	       typing_inlined(x->t->typing, object, x->function, in_full, out);
}

/* "4 of 'a', 3 of 'b' and 2 more functions" */
static void add_names(struct strbuf *text, const struct target_inlined *in)
{
	size_t n = min_u64(in->nnames, ARRAY_LEN(in->names));

	for (size_t i = 0; i < n; i++)
		strbuf_printf(text, "%s%llu of '%s'", i ? ", " : "",
			      (unsigned long long)in->names[i].ncopies,
			      in->names[i].name);
	if (in->nnames > n)
		strbuf_printf(text, " and of %zu more function%s", in->nnames - n,
			      in->nnames - n == 1 ? "" : "s");
}

/* Prints one line, however many copies there are. */
static void report_copies(const struct explain *x, const struct module *object,
			  const struct target_inlined *in)
{
	bool is_glob = glob_is_pattern(x->function), is_one = in->ncopies == 1;
	struct strbuf text = {0};

	if (is_glob) {
		strbuf_printf(&text, "functions like '%s' in '%s' %s not traced: ",
			      x->function, object->name, is_one ? "is" : "are");
		add_names(&text, in);
	} else {
		strbuf_printf(&text, "'%s' in ", x->function);
		add_places(&text, in);
		strbuf_puts(&text, is_one ? " is not traced" : " are not traced");
	}
	out_notice(x->t->out, "%s%llu inlined %s of %s",
		   in->is_least ? "at least " : "", (unsigned long long)in->ncopies,
		   is_one ? "copy" : "copies", text.data);
	strbuf_release(&text);
}

void explain_copies(const struct explain *x, const struct module *object)
{
	struct target_inlined in;
	struct strbuf key = {0};

	/* "*" asks for no function in particular */
	if (x->t->options.quiet || !x->function[strspn(x->function, "*")])
		return;
	strbuf_printf(&key, "%s`%s", object->path, x->function);
	if (!strmap_get(&x->t->reported_copies, key.data, NULL)) {
		strmap_set(&x->t->reported_copies, key.data, 0);
		if (find_copies(x, object, false, &in)) {
			report_copies(x, object, &in);
			strmap_set(&x->t->reported_copies, key.data, in.ncopies);
			module_types_inlined_release(&in);
		}
	}
	strbuf_release(&key);
}

uint64_t explain_known_copies(const struct explain *x)
{
	const struct modules *all = x->target->modules;
	uint64_t n = 0;

	for (size_t i = 0; all && i < all->len; i++) {
		struct strbuf key = {0};
		uint64_t known = 0;

		strbuf_printf(&key, "%s`%s", all->data[i]->path, x->function);
		strmap_get(&x->t->reported_copies, key.data, &known);
		n += known;
		strbuf_release(&key);
	}
	return n;
}

static bool explain_inlined(const struct explain *x, const struct module *object,
			    bool in_full, struct match *m)
{
	struct strbuf text = {0};
	struct target_inlined in;

	if (!find_copies(x, object, in_full, &in))
		return false;
	add_places(&text, &in);
	snprintf(m->hint, sizeof(m->hint),
		 "'%s' has no code of its own in '%s': it was inlined %s%llu time%s, "
		 "into %s; the probe name 'inlined' traces its copies",
		 x->function, object->name, in.is_least ? "at least " : "",
		 (unsigned long long)in.ncopies, in.ncopies == 1 ? "" : "s", text.data);
	strbuf_release(&text);
	module_types_inlined_release(&in);
	return true;
}

/* ---- other reasons ---- */

static void found_elsewhere(void *ctx, const struct symbol *sym)
{
	(void)ctx;
	(void)sym;
}

static bool explain_elsewhere(const struct explain *x, const struct module *object,
			      struct match *m)
{
	for (size_t i = 0; i < x->target->modules->len; i++) {
		struct module *other = x->target->modules->data[i];
		struct err ignored;

		if (other == object || module_load_symbols(other, &ignored) ||
		    !module_select(other, x->function, found_elsewhere, NULL))
			continue;
		snprintf(m->hint, sizeof(m->hint), "'%s' is a function of '%s'",
			 x->function, other->name);
		return true;
	}
	return false;
}

static bool explain_inlined_elsewhere(const struct explain *x, struct match *m)
{
	const struct modules *all = x->target->modules;
	bool is_done = false;

	for (size_t i = 0; i < all->len && !is_done; i++)
		is_done = explain_inlined(x, all->data[i], false, m);
	return is_done;
}

static void explain_nearest(const struct explain *x, const struct module *object,
			    struct match *m)
{
	const struct modules *all = x->target->modules;
	char *out = m->hint, *end = out + sizeof(m->hint);
	char shown[NAME_SHOWN];
	struct near near;

	near_begin(&near, x->function, NEAREST_MAX);
	for (size_t i = 0; i < all->len; i++)
		if (!object || all->data[i] == object)
			module_offer_near(all->data[i], &near);
	for (size_t i = 0; i < near.n && out < end; i++)
		out += snprintf(out, (size_t)(end - out), "%s'%s'",
				i ? ", " : "nearest names: ",
				suggest_visible(near.found[i], shown));
	if (near.n == 0 && object && object->is_stripped)
		snprintf(out, (size_t)(end - out), "'%s' is %s", object->name,
			 module_source_text(object));
}

void explain_missing(const struct explain *x, const struct module *object,
		     struct match *m)
{
	if ((object && explain_inlined(x, object, true, m)) ||
	    explain_elsewhere(x, object, m) || explain_inlined_elsewhere(x, m))
		return;
	explain_nearest(x, object, m);
}

bool explain_is_left_out(const struct module *object)
{
	return str_has_end(object->path, ".dll.so") ||
	       str_has_end(object->path, ".exe.so");
}

bool explain_left_out(struct tracer *t, const struct module *object, struct match *m)
{
	if (!explain_is_left_out(object))
		return false;
	snprintf(m->hint, sizeof(m->hint),
		 "'%s' is left out, as mono reads its code: a description that names "
		 "it traces it",
		 object->name);
	if (!strmap_get(&t->reported_copies, object->path, NULL)) {
		strmap_set(&t->reported_copies, object->path, 1);
		out_notice(t->out, "%s", m->hint);
	}
	return true;
}

bool explain_awaited(const struct tracer *t, const struct target *target,
		     const char *field)
{
	const char *program = "?";

	if (!target->is_launcher || t->is_listing || !*field ||
	    strcmp(field, "a.out") == 0)
		return false;
	for (size_t i = 0; i < target->modules->len; i++)
		if (target->modules->data[i]->is_exe)
			program = target->modules->data[i]->name;
	if (!t->zero_ok)
		out_notice(t->out,
			   "'%s' has no object '%s': dtrace waits until it "
			   "executes another program",
			   program, field);
	return true;
}

void explain_no_object(const struct target *target, const char *field, struct match *m)
{
	const char *near;

	if (modules_nearest(target->modules, field, &near, 1) > 0)
		snprintf(m->hint, sizeof(m->hint),
			 "process %d has no object '%s'; the nearest is '%s' (-Z waits "
			 "for those that are loaded later)",
			 target->pid, field, near);
}

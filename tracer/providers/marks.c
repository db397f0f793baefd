/* SPDX-License-Identifier: MIT */
#include "tracer/providers/marks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/symbols.h"
#include "tracer/base/core.h"
#include "tracer/output/out.h"
#include "tracer/providers/suggest.h"
#include "tracer/targets/convert.h"
#include "tracer/targets/typing.h"
#include "vm/base/host/glob.h"
#include "vm/base/host/strbuf.h"
#include "vm/base/host/vec.h"

#define COPIES_MAX 200000 /* inlined copies that one description selects */

bool marks_is_line(const char *name)
{
	return strchr(name, '@') != NULL;
}

bool marks_is_inlined(const char *name)
{
	return strcmp(name, "inlined") == 0;
}

void marks_release(struct marks *m)
{
	vec_release(&m->list);
	arena_release(&m->arena);
}

static int compare_marks(const void *a, const void *b)
{
	const struct mark *x = a, *y = b;
	int rc;

	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	rc = strcmp(x->name, y->name);
	return rc || !x->function ? rc : strcmp(x->function, y->function);
}

size_t marks_first(const struct marks *m, uint64_t value)
{
	size_t lo = 0, hi = m->list.len;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (m->list.data[mid].value < value)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* What is known of the module's source; NULL: nothing. */
static struct module_types *types_of_module(const struct marks_request *r)
{
	if (!r->t->typing || r->module->is_vdso)
		return NULL;
	return typing_object(r->t->typing, r->module)->types;
}

/* ---- lines ---- */

/* Names come from files: what a terminal would obey is not shown. */
static const char *line_name(struct marks *m, const struct target_line *l)
{
	char *name = arena_printf(&m->arena, "%s@%llu", l->file,
				  (unsigned long long)l->line);

	for (char *p = name; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = '?';
	return name;
}

static void find_lines(struct module_types *mt, const struct marks_request *r,
		       struct marks *out)
{
	struct target_lines lines;

	module_types_lines(mt, r->name, &lines);
	for (size_t i = 0; i < lines.len; i++)
		*vec_push(&out->list) =
			(struct mark){.value = lines.data[i].value,
				      .name = line_name(out, &lines.data[i])};
	if (lines.is_cut)
		out_notice(r->t->out,
			   "not all lines of '%s' are known: its debugging data is too "
			   "large",
			   r->module->name);
	vec_release(&lines);
}

/* ---- inlined copies ---- */

struct copies {
	const struct marks_request *r;
	struct marks *out;
	bool is_cut;
};

static void add_copy(void *ctx, uint64_t value, const char *name)
{
	struct copies *c = ctx;
	struct strbuf text = {0};

	if (c->out->list.len >= COPIES_MAX) {
		c->is_cut = true;
		return;
	}
	if (c->r->t->options.demangle)
		symbol_add_readable(name, &text);
	else
		strbuf_puts(&text, name);
	*vec_push(&c->out->list) = (struct mark){
		.value = value,
		.function = arena_printf(&c->out->arena, "%s", text.data),
		.name = "inlined",
	};
	strbuf_release(&text);
}

static void find_copies(struct module_types *mt, const struct marks_request *r,
			struct marks *out)
{
	struct copies c = {.r = r, .out = out};

	c.is_cut |= !module_types_copies(mt, r->function, add_copy, &c);
	if (c.is_cut)
		out_notice(r->t->out,
			   "not all inlined copies in '%s' are known: there are too "
			   "many",
			   r->module->name);
}

void marks_find(const struct marks_request *r, struct marks *out)
{
	struct module_types *mt = types_of_module(r);

	*out = (struct marks){.arena = {0}};
	if (!mt)
		return;
	if (marks_is_line(r->name))
		find_lines(mt, r, out);
	else
		find_copies(mt, r, out);
	if (out->list.len)
		qsort(out->list.data, out->list.len, sizeof(*out->list.data),
		      compare_marks);
}

/* ---- why there are none ---- */

/* The lines with code before and after a line. */
struct nearest {
	uint64_t line, below, above;
};

static void find_nearest(struct module_types *mt, const char *name, struct nearest *n)
{
	int file = (int)(strrchr(name, '@') - name);
	struct target_lines lines;
	char glob[512];

	snprintf(glob, sizeof(glob), "%.*s@*", file, name);
	module_types_lines(mt, glob, &lines);
	for (size_t i = 0; i < lines.len; i++) {
		uint64_t line = lines.data[i].line;

		if (line < n->line && line > n->below)
			n->below = line;
		if (line > n->line && (!n->above || line < n->above))
			n->above = line;
	}
	vec_release(&lines);
}

static void explain_line(struct module_types *mt, const struct marks_request *r,
			 struct match *m)
{
	const char *at = strrchr(r->name, '@');
	struct nearest n = {.line = strtoull(at + 1, NULL, 10)};
	char file[NAME_SHOWN], text[64] = "";
	struct target_lines lines;
	bool is_known;
	size_t found;

	module_types_lines(mt, r->name, &lines);
	is_known = lines.is_known_file;
	found = lines.len;
	vec_release(&lines);
	suggest_visible(r->name, file);
	if (strrchr(file, '@'))
		*strrchr(file, '@') = '\0';
	if (!is_known) {
		snprintf(m->hint, sizeof(m->hint),
			 "the debugging data of '%s' has no source file '%s'",
			 r->module->name, file);
		return;
	}
	if (found) {
		snprintf(m->hint, sizeof(m->hint),
			 "line %s of '%s' is in none of these functions of '%s'",
			 at + 1, file, r->module->name);
		return;
	}
	find_nearest(mt, r->name, &n);
	if (n.below && n.above)
		snprintf(text, sizeof(text), "%llu and %llu",
			 (unsigned long long)n.below, (unsigned long long)n.above);
	else if (n.below || n.above)
		snprintf(text, sizeof(text), "%llu",
			 (unsigned long long)(n.below ? n.below : n.above));
	snprintf(m->hint, sizeof(m->hint), "line %s of '%s' has no code%s%s", at + 1,
		 file, *text ? ": the nearest lines with code: " : "", text);
}

void marks_explain(const struct marks_request *r, struct match *m)
{
	struct module_types *mt = types_of_module(r);
	const char *why = mt ? module_types_split_why(mt) : NULL;

	if (!mt && r->t->typing && !r->module->is_vdso)
		snprintf(m->hint, sizeof(m->hint),
			 "the source of '%s' is not known: %.300s", r->module->name,
			 typing_object(r->t->typing, r->module)->why.text);
	else if (mt && marks_is_line(r->name))
		explain_line(mt, r, m);
	else if (mt)
		snprintf(m->hint, sizeof(m->hint),
			 "the debugging data of '%s' has no inlined copy of "
			 "'%.100s'%s%s",
			 r->module->name, r->function, why ? ": " : "", why ? why : "");
}

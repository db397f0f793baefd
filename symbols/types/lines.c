/* SPDX-License-Identifier: MIT */
/* Lines of the source, and inlined frames, by address. */
#include "symbols/types.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/types/internal.h"
#include "vm/base/host/glob.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/search.h"
#include "vm/base/host/vec.h"

#define LINES_MAX   1000000 /* places for one question */
#define NUMBER_SIZE 24	    /* bytes of a line number in decimal */

size_t module_types_places(struct module_types *mt, uint64_t value,
			   struct target_place out[TARGET_PLACES_MAX])
{
	struct dwarf_place places[DWARF_INLINED_MAX + 1];
	size_t n, found = 0;

	_Static_assert(TARGET_PLACES_MAX == DWARF_INLINED_MAX + 1, "one for each");
	types_need_index(mt);
	if (mt->functions.len)
		found = search_at_most(&mt->functions.data->address, mt->functions.len,
				       sizeof(*mt->functions.data), value);
	if (!found)
		return 0;
	n = dwarf_places(mt->dwarf, mt->functions.data[found - 1].ref, value, places);
	for (size_t i = 0; i < n; i++) {
		struct entry e = {.name = NULL};

		if (places[i].inlined && dwarf_entry(mt->dwarf, places[i].inlined, &e))
			types_inherit(mt, &e);
		out[i] = (struct target_place){
			.function = e.link_name ? e.link_name : e.name,
			.file = places[i].file,
			.line = places[i].line,
		};
	}
	return n;
}

/* ---- the places of lines ---- */

struct question {
	struct module_types *mt;
	char *file;	    /* the glob before the last @ */
	const char *number; /* the glob after it */
	size_t nfolders;
	struct target_lines *out;
};

/* The last part of the path that has as many folders as the glob. */
static const char *file_end(const struct question *q, const char *path)
{
	const char *p = path + strlen(path);

	for (size_t n = 0; p > path; p--)
		if (p[-1] == '/' && n++ == q->nfolders)
			break;
	return p;
}

static bool wants_file(void *ctx, const char *path)
{
	const struct question *q = ctx;

	if (!glob_match(q->file, file_end(q, path)))
		return false;
	q->out->is_known_file = true;
	return true;
}

static void add_line(void *ctx, const struct dwarf_line *l)
{
	struct question *q = ctx;
	char number[NUMBER_SIZE];

	snprintf(number, sizeof(number), "%llu", (unsigned long long)l->line);
	if (!glob_match(q->number, number))
		return;
	if (q->out->len >= LINES_MAX ||
	    !dwarf_has_room(q->mt->dwarf, 2 * sizeof(struct target_line))) {
		q->out->is_cut = true;
		return;
	}
	*vec_push(q->out) =
		(struct target_line){l->address, file_end(q, l->file), l->line};
}

static int compare_lines(const void *a, const void *b)
{
	const struct target_line *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return strcmp(x->file, y->file);
}

static void drop_repeated(struct target_lines *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->len; i++)
		if (!n || compare_lines(&l->data[n - 1], &l->data[i]) != 0)
			l->data[n++] = l->data[i];
	l->len = n;
}

void module_types_lines(struct module_types *mt, const char *glob,
			struct target_lines *out)
{
	const char *at = strrchr(glob, '@');
	struct question q = {.mt = mt, .out = out};

	*out = (struct target_lines){0};
	if (!at)
		return;
	q.number = at + 1;
	q.file = oom_calloc(1, (size_t)(at - glob) + 1);
	memcpy(q.file, glob, (size_t)(at - glob));
	for (const char *p = q.file; *p; p++)
		q.nfolders += *p == '/';
	if (!dwarf_lines(mt->dwarf, wants_file, add_line, &q))
		out->is_cut = true;
	if (out->len)
		qsort(out->data, out->len, sizeof(*out->data), compare_lines);
	drop_repeated(out);
	free(q.file);
}

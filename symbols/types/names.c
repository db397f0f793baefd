/* SPDX-License-Identifier: MIT */
/*
 * What a name means: types and variables of the index by name, namespaces, source file,
 * and the file of a function that asks.
 */
#include "symbols/types.h"

#include <string.h>

#include "symbols/types/internal.h"
#include "vm/base/host/strbuf.h"
#include "vm/base/host/vec.h"

#define SHOWN_MAX 8 /* candidates that are named */

struct candidates {
	struct module_types *mt;
	const struct target_search *search;
	char letter;
	const char *name;   /* without its path */
	struct strbuf path; /* "ns::", or empty */
	bool is_exact;	    /* the path is all of it, from the outermost on */
	struct {
		struct candidate {
			uint64_t ref, unit; /* unit: 0: not known yet */
			bool is_declaration, is_inside;
		} * data;
		size_t len, cap;
	} list;
};

static void candidates_release(struct candidates *c)
{
	vec_release(&c->list);
	strbuf_release(&c->path);
}

/* ---- which entries have the name ---- */

bool types_is_path_end(const char *path, const char *end)
{
	size_t n = strlen(path), k = strlen(end);

	return n >= k && strcmp(path + n - k, end) == 0 &&
	       (n == k || path[n - k - 1] == '/');
}

/* The names around an entry, or around the one that it completes. */
static enum dwarf_reach path_of(struct module_types *mt, uint64_t ref,
				struct strbuf *out)
{
	struct entry e;

	for (int i = 0; i < TYPES_CHAIN_MAX; i++) {
		if (!dwarf_entry(mt->dwarf, ref, &e) || !e.origin || e.is_by_signature)
			break;
		ref = e.origin;
	}
	return dwarf_path(mt->dwarf, ref, out);
}

static bool is_path(const struct candidates *c, const char *path)
{
	size_t n = strlen(path), k = c->path.len;

	if (n < k || strcmp(path + n - k, c->path.data) != 0)
		return false;
	return c->is_exact ? n == k
			   : n == k || k == 0 || (n - k >= 2 && path[n - k - 1] == ':');
}

/* Whether the names around the entry are those that are asked for. */
static bool is_placed(const struct candidates *c, const struct types_named *n,
		      bool *is_inside)
{
	struct strbuf path = {0};
	bool is_it;

	*is_inside = n->space && !n->is_base;
	if (n->space != TYPES_ORIGINS_SPACE && (!*is_inside || !c->path.len))
		return *is_inside ? !c->is_exact : !c->path.len;
	path_of(c->mt, n->ref, &path);
	*is_inside = path.len > 0;
	is_it = is_path(c, path.data);
	strbuf_release(&path);
	return is_it;
}

static bool is_in_file(const struct candidates *c, uint64_t ref)
{
	struct dwarf_unit unit;

	return !c->search->file ||
	       (dwarf_unit_of(c->mt->dwarf, ref, &unit) && unit.file &&
		types_is_path_end(unit.file, c->search->file));
}

static bool add_candidate(void *ctx, const struct types_named *n)
{
	struct candidates *c = ctx;
	bool is_inside;

	if (is_placed(c, n, &is_inside) && is_in_file(c, n->ref))
		*vec_push(&c->list) =
			(struct candidate){n->ref, 0, n->is_declaration, is_inside};
	return true;
}

/* ---- types in types ---- */

/* "Outer::S": Outer may be a type, and what is in types is not in the index. */
static bool add_inside(void *ctx, const struct entry *e)
{
	struct candidates *c = ctx;

	if (e->name && types_letter(e->tag) == c->letter &&
	    strcmp(e->name, c->name) == 0 && is_in_file(c, e->ref))
		*vec_push(&c->list) =
			(struct candidate){e->ref, 0, e->is_declaration, true};
	return true;
}

static void split(struct candidates *c, const char *name)
{
	size_t at = 0, depth = 0;

	for (size_t i = 0; name[i]; i++) {
		depth += name[i] == '<';
		depth -= name[i] == '>' && depth;
		if (!depth && i && name[i - 1] == ':' && name[i] == ':')
			at = i + 1;
	}
	strbuf_reset(&c->path);
	strbuf_add(&c->path, name, at);
	c->name = name + at;
}

static void find_in_types(struct candidates *c)
{
	struct candidates outer = {
		.mt = c->mt, .search = c->search, .is_exact = c->is_exact};
	struct strbuf name = {0};

	if (c->path.len <= 2)
		return;
	strbuf_add(&name, c->path.data, c->path.len - 2);
	split(&outer, name.data);
	for (const char *letter = "su"; *letter; letter++) {
		outer.letter = *letter;
		types_each_named(c->mt, *letter, outer.name, add_candidate, &outer);
	}
	if (!outer.list.len)
		find_in_types(&outer);
	for (size_t i = outer.list.len; i-- > 0;)
		dwarf_children(c->mt->dwarf, outer.list.data[i].ref, add_inside, c);
	candidates_release(&outer);
	strbuf_release(&name);
}

/* ---- which of them is meant ---- */

static bool is_same(struct candidates *c, uint64_t a, uint64_t b)
{
	struct entry x, y;

	if (c->letter != 'v')
		return module_types_is_same(c->mt, a, b);
	return a == b ||
	       (dwarf_entry(c->mt->dwarf, a, &x) && dwarf_entry(c->mt->dwarf, b, &y) &&
		x.location == LOCATION_ADDRESS && y.location == LOCATION_ADDRESS &&
		x.address == y.address);
}

static uint64_t unit_of(struct candidates *c, struct candidate *one)
{
	struct dwarf_unit unit;

	if (!one->unit && dwarf_unit_of(c->mt->dwarf, one->ref, &unit))
		one->unit = unit.ref;
	return one->unit;
}

/*
 * Sets *ref to the one of those in the unit (0: in any), outside of namespaces if one is
 * there. NOENT, AMBIGUOUS.
 */
static int choose(struct candidates *c, uint64_t unit, bool is_inside, uint64_t *ref)
{
	uint64_t found = 0;

	for (size_t i = c->list.len; i-- > 0;) {
		struct candidate *one = &c->list.data[i];

		if (one->is_declaration || one->is_inside != is_inside ||
		    (unit && unit_of(c, one) != unit))
			continue;
		if (found && !is_same(c, found, one->ref))
			return STATUS_AMBIGUOUS;
		found = found ? found : one->ref;
	}
	if (!found)
		return is_inside ? STATUS_NOENT : choose(c, unit, true, ref);
	*ref = found;
	return 0;
}

/* What the source files of the functions mean by the name. */
static int choose_near(struct candidates *c, uint64_t *ref)
{
	const struct target_search *s = c->search;
	size_t n = 0;
	const uint64_t *values =
		s->functions && c->list.len > 1 ? s->functions(s->ctx, &n) : NULL;
	struct dwarf_unit unit;
	struct map seen = {0};
	int rc = STATUS_NOENT;

	for (size_t i = 0; i < n && rc != STATUS_AMBIGUOUS; i++) {
		uint64_t function = types_function_at(c->mt, values[i]), one;
		int found;

		if (!dwarf_unit_of(c->mt->dwarf, function, &unit) ||
		    map_get(&seen, unit.ref, NULL))
			continue;
		map_set(&seen, unit.ref, 1);
		found = choose(c, unit.ref, false, &one);
		if (found == STATUS_NOENT)
			continue;
		if (found || (!rc && !is_same(c, *ref, one))) {
			rc = STATUS_AMBIGUOUS;
		} else {
			*ref = rc ? one : *ref;
			rc = 0;
		}
	}
	map_release(&seen);
	return rc;
}

static uint64_t first_declared(const struct candidates *c)
{
	return c->list.len ? c->list.data[c->list.len - 1].ref : 0;
}

static void show(struct candidates *c, size_t i, bool by_file)
{
	struct strbuf text = {0};
	struct dwarf_unit unit;
	const char *slash;

	path_of(c->mt, c->list.data[i].ref, &text);
	if (by_file && dwarf_unit_of(c->mt->dwarf, c->list.data[i].ref, &unit) &&
	    unit.file) {
		slash = strrchr(unit.file, '/');
		strbuf_reset(&text);
		strbuf_printf(&text, "%s`", slash ? slash + 1 : unit.file);
	}
	strbuf_puts(&text, c->name);
	c->search->candidate(c->search->ctx, text.data);
	strbuf_release(&text);
}

/* Whether one before it has the same qualified name. */
static bool has_twin(struct candidates *c, size_t i)
{
	struct strbuf own = {0}, other = {0};
	bool is_twin = false;

	path_of(c->mt, c->list.data[i].ref, &own);
	for (size_t k = 0; k < c->list.len && !is_twin; k++) {
		if (c->list.data[k].is_declaration ||
		    is_same(c, c->list.data[k].ref, c->list.data[i].ref))
			continue;
		strbuf_reset(&other);
		path_of(c->mt, c->list.data[k].ref, &other);
		is_twin = strcmp(own.data, other.data) == 0;
	}
	strbuf_release(&own);
	strbuf_release(&other);
	return is_twin;
}

/* Names each that differs from those before it. */
static void show_all(struct candidates *c)
{
	size_t shown[SHOWN_MAX], n = 0;

	for (size_t i = c->list.len; i-- > 0 && n < SHOWN_MAX;) {
		bool is_new = !c->list.data[i].is_declaration;

		for (size_t k = 0; k < n && is_new; k++)
			is_new = !is_same(c, c->list.data[shown[k]].ref,
					  c->list.data[i].ref);
		if (!is_new)
			continue;
		shown[n++] = i;
		show(c, i, has_twin(c, i));
	}
}

static int search(struct candidates *c, uint64_t *ref)
{
	int rc;

	types_need_index(c->mt);
	split(c, c->search->name);
	types_each_named(c->mt, c->letter, c->name, add_candidate, c);
	if (!c->list.len)
		find_in_types(c);
	rc = choose_near(c, ref);
	if (rc == STATUS_NOENT)
		rc = choose(c, 0, false, ref);
	if (rc == STATUS_AMBIGUOUS && c->search->candidate)
		show_all(c);
	if (rc == STATUS_NOENT) {
		*ref = first_declared(c);
		rc = *ref ? 0 : rc;
	}
	return rc;
}

/* ---- questions ---- */

static char letter_of(enum target_kind kind)
{
	return kind == TARGET_STRUCT  ? 's'
	       : kind == TARGET_UNION ? 'u'
	       : kind == TARGET_ENUM  ? 'e'
				      : 't';
}

int module_types_find(struct module_types *mt, const struct target_search *s,
		      uint64_t *ref)
{
	struct candidates c = {.mt = mt,
			       .search = s,
			       .letter = letter_of(s->kind),
			       .is_exact = s->is_exact};
	int rc = search(&c, ref);

	candidates_release(&c);
	return rc;
}

bool module_types_path(struct module_types *mt, uint64_t ref, struct strbuf *out)
{
	enum dwarf_reach reach = path_of(mt, ref, out);
	struct entry e;

	if (!dwarf_entry(mt->dwarf, ref, &e) || !e.name)
		return false;
	strbuf_puts(out, e.name);
	return reach == REACH_ALL;
}

/* The definition of what is declared by that name in its own file, or in another. */
static uint64_t find_definition(struct module_types *mt, const struct entry *e)
{
	struct target_search s = {.name = e->name};
	struct candidates c = {.mt = mt,
			       .search = &s,
			       .letter = types_letter(e->tag),
			       .name = e->name,
			       .is_exact = true};
	uint64_t found = 0;
	struct dwarf_unit unit = {0};

	types_need_index(mt);
	dwarf_unit_of(mt->dwarf, e->ref, &unit);
	if (path_of(mt, e->ref, &c.path) != REACH_LOCAL)
		types_each_named(mt, c.letter, c.name, add_candidate, &c);
	if (!c.list.len)
		find_in_types(&c);
	if (choose(&c, unit.ref, false, &found) == STATUS_NOENT)
		choose(&c, 0, false, &found);
	candidates_release(&c);
	return found;
}

uint64_t module_types_definition(struct module_types *mt, uint64_t ref)
{
	struct entry e, whole;
	uint64_t found;

	if (!dwarf_entry(mt->dwarf, ref, &e) || !types_letter(e.tag))
		return ref;
	if (e.is_by_signature && dwarf_entry(mt->dwarf, e.origin, &whole))
		return e.origin;
	if (!e.is_declaration || !e.name)
		return ref;
	if (map_get(&mt->definitions, ref, &found))
		return found;
	found = find_definition(mt, &e);
	found = found ? found : ref;
	map_set(&mt->definitions, ref, found);
	return found;
}

int module_types_variable(struct module_types *mt, const struct target_search *s,
			  uint64_t *type, uint64_t *value, struct err *e)
{
	struct candidates c = {.mt = mt, .search = s, .letter = 'v'};
	uint64_t ref;
	int rc = search(&c, &ref);
	struct entry var;

	candidates_release(&c);
	if (rc == STATUS_AMBIGUOUS)
		return err_set(e, rc, "it has several variables '%s'", s->name);
	if (rc && module_types_split_why(mt))
		return err_set(e, STATUS_NOENT, "%s", module_types_split_why(mt));
	if (rc || !dwarf_entry(mt->dwarf, ref, &var) || var.is_declaration)
		return err_set(e, STATUS_NOENT, "its debugging data has no '%s'",
			       s->name);
	if (var.location == LOCATION_NONE)
		return err_set(e, STATUS_UNSUP, "'%s' was optimized away", s->name);
	if (var.location == LOCATION_THREAD)
		return err_set(e, STATUS_UNSUP, "each thread has its own '%s'",
			       s->name);
	if (var.location != LOCATION_ADDRESS)
		return err_set(e, STATUS_UNSUP, "'%s' has no fixed address", s->name);
	types_inherit(mt, &var);
	*type = var.type;
	*value = var.address;
	return 0;
}

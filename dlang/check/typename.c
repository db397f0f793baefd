/* SPDX-License-Identifier: MIT */
/*
 * Names of types: of D programs and of C first, then of the traced program, then the
 * usual ones of the C library. A scope, "mod`name", selects one of them.
 */
#include "dlang/check/typename.h"

#include <stdlib.h>
#include <string.h>

#include "dlang/check/check.h"
#include "dlang/typesrc.h"

/* "LM0": there is only one link map. */
static bool is_link_map(const char *s, size_t n)
{
	return n == 3 && memcmp(s, "LM0", 3) == 0;
}

/* Whether it is "pid", or "pid" and the number of the target. */
static bool is_target(struct dlang *d, const char *s, size_t n)
{
	int64_t target;
	char *end;
	unsigned long pid;

	if (n == 3)
		return true;
	pid = strtoul(s + 3, &end, 10);
	if (end != s + n || s[3] < '1' || s[3] > '9')
		return false;
	return !d->env.macro || !d->env.macro(d->env.ctx, "target", &target) ||
	       target == 0 || (uint64_t)target == pid;
}

/* "object", "file.c" or "object`file.c", after "pid`" or "pid`LM0`". */
static enum scoped_status scoped_object(struct dlang *d, const char *rest, size_t n,
					struct scoped_name *out)
{
	const char *tick;

	while ((tick = memchr(rest, '`', n)) &&
	       is_link_map(rest, (size_t)(tick - rest))) {
		n -= (size_t)(tick + 1 - rest);
		rest = tick + 1;
	}
	if (tick && memchr(tick + 1, '`', n - (size_t)(tick + 1 - rest)))
		return SCOPED_IMPROPER;
	out->object = arena_strndup(&d->arena, rest, n);
	return SCOPED_OK;
}

enum scoped_status scoped_split(struct dlang *d, const char *name,
				struct scoped_name *out)
{
	const char *last = strrchr(name, '`'), *tick = strchr(name, '`');
	size_t first;

	*out = (struct scoped_name){.last = last ? last + 1 : name};
	if (!last)
		return SCOPED_OK;
	out->is_scoped = true;
	first = (size_t)(tick - name);
	if (strncmp(name, "pid", 3) == 0 && strcspn(name, ".`") == first) {
		if (!is_target(d, name, first))
			return SCOPED_UNKNOWN;
		out->is_pid = true;
		if (tick != last)
			return scoped_object(d, tick + 1, (size_t)(last - tick - 1),
					     out);
		out->object = "pid";
		return SCOPED_OK;
	}
	if (first == 0)
		return tick == last ? SCOPED_OK : SCOPED_IMPROPER;
	return scoped_object(d, name, (size_t)(last - name), out);
}

static const struct type *find_in_target(struct dlang *d, const char *object,
					 const char *name, struct err *why)
{
	const struct typesrc *src = d->env.types;

	return src ? src->find(src->ctx, types_of(d), object, name, why) : NULL;
}

static bool is_intrinsic(const struct type *t)
{
	return t->kind <= TYPE_FLOAT;
}

const struct type *typename_find(struct dlang *d, const char *word, const char *name,
				 struct scoped_name *scoped)
{
	bool is_d, is_c;
	const char *full;
	const struct type *t;

	if (scoped_split(d, name, scoped) != SCOPED_OK)
		return NULL;
	full = arena_printf(&d->arena, "%s%s", word, scoped->last);
	is_d = scoped->object && strcmp(scoped->object, "D") == 0;
	is_c = scoped->object && strcmp(scoped->object, "C") == 0;
	t = type_find(types_of(d), full);
	if (is_d || is_c)
		return t && (is_d || is_intrinsic(t)) ? t : NULL;
	if (t && !scoped->is_scoped)
		return t;
	t = find_in_target(d, scoped->object, full, &scoped->why);
	return t || scoped->is_scoped || scoped->why.text[0]
		       ? t
		       : type_common(types_of(d), full);
}

bool check_is_scoped_type(struct dlang *d, const char *name)
{
	struct scoped_name scoped;

	return typename_find(d, "", name, &scoped) || scoped.why.text[0];
}

bool check_is_target_type(struct dlang *d, const char *name)
{
	struct err why = {0};

	if (strchr(name, '`') || scope_find(scope_of(d), AST_GLOBAL, name))
		return false;
	return find_in_target(d, NULL, name, &why) || why.text[0] ||
	       type_common(types_of(d), name);
}

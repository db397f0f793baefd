/* SPDX-License-Identifier: MIT */
#include "dlang/type.h"

#include <string.h>

#include "dlang/typesrc.h"

/*
 * The rank of an integer type is its width, plus one if unsigned; of two types of
 * equal rank the later one in this table is the result of type_promote().
 */
static const struct {
	const char *name;
	enum type_kind kind;
	uint32_t size;
	bool is_signed;
} intrinsics[] = {
	{"void", TYPE_VOID, 0, false},
	{"char", TYPE_INT, 1, true},
	{"signed char", TYPE_INT, 1, true},
	{"unsigned char", TYPE_INT, 1, false},
	{"_Bool", TYPE_INT, 1, false},
	{"short", TYPE_INT, 2, true},
	{"unsigned short", TYPE_INT, 2, false},
	{"signed", TYPE_INT, 4, true},
	{"int", TYPE_INT, 4, true},
	{"unsigned", TYPE_INT, 4, false},
	{"unsigned int", TYPE_INT, 4, false},
	{"long", TYPE_INT, 8, true},
	{"unsigned long", TYPE_INT, 8, false},
	{"long long", TYPE_INT, 8, true},
	{"unsigned long long", TYPE_INT, 8, false},
	{"float", TYPE_FLOAT, 4, true},
	{"double", TYPE_FLOAT, 8, true},
	{"long double", TYPE_FLOAT, 16, true},
};

/* Longer spellings of the same intrinsic type. */
static const struct {
	const char *name, *same;
} spellings[] = {
	{"signed int", "int"},
	{"short int", "short"},
	{"signed short", "short"},
	{"signed short int", "short"},
	{"unsigned short int", "unsigned short"},
	{"long int", "long"},
	{"signed long", "long"},
	{"signed long int", "long"},
	{"unsigned long int", "unsigned long"},
	{"long long int", "long long"},
	{"signed long long", "long long"},
	{"signed long long int", "long long"},
	{"unsigned long long int", "unsigned long long"},
};

/* Type names of D, and those that prototypes of built-ins use. */
static const struct {
	const char *name, *base;
} builtins[] = {
#define TYPENAME(name, base) {#name, base},
#include "dlang/base/typename.def"
#undef TYPENAME
};

static struct type *type_new(struct types *ts, enum type_kind kind, const char *name)
{
	struct type *t = arena_alloc(ts->arena, sizeof(*t));

	t->kind = kind;
	t->name = arena_strdup(ts->arena, name);
	t->order = ts->next_order++;
	return t;
}

static void register_name(struct types *ts, const char *name, const struct type *t)
{
	strmap_set(&ts->names, name, (uint64_t)(uintptr_t)t);
}

/* The argument of inet_ntoa6(), with the member names of all common systems. */
static void define_in6_addr(struct types *ts)
{
	static const struct {
		const char *whole, *part[3]; /* of 1, 2 and 4 bytes; "": anonymous */
	} names[] = {
		{"", {"s6_addr", "s6_addr16", "s6_addr32"}},
		{"in6_u", {"u6_addr8", "u6_addr16", "u6_addr32"}},
		{"__in6_u", {"__u6_addr8", "__u6_addr16", "__u6_addr32"}},
		{"__u6_addr", {"__u6_addr8", "__u6_addr16", "__u6_addr32"}},
		{"_S6_un", {"_S6_u8", "_S6_u16", "_S6_u32"}},
	};
	static const char *const unit[] = {"unsigned char", "unsigned short",
					   "unsigned int"};
	struct type *t = type_tagged(ts, TYPE_STRUCT, "struct in6_addr", true);
	struct type *all = type_tagged(ts, TYPE_UNION, "union <anonymous>", false);
	struct type_member m = {0};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		struct type *whole =
			type_tagged(ts, TYPE_UNION, "union <anonymous>", false);

		for (uint32_t k = 0; k < ARRAY_LEN(unit); k++) {
			m.name = names[i].part[k];
			m.type = type_array(ts, type_find(ts, unit[k]), 16 >> k);
			type_add_member(ts, whole, &m);
		}
		type_lay_out(ts, whole);
		m = (struct type_member){.name = names[i].whole, .type = whole};
		type_add_member(ts, all, &m);
	}
	type_lay_out(ts, all);
	m = (struct type_member){.name = "", .type = all};
	type_add_member(ts, t, &m);
	type_lay_out(ts, t);
}

void types_init(struct types *ts, struct arena *arena, uint32_t strsize)
{
	struct type *t;

	*ts = (struct types){.arena = arena, .strsize = strsize};
	for (size_t i = 0; i < ARRAY_LEN(intrinsics); i++) {
		t = type_new(ts, intrinsics[i].kind, intrinsics[i].name);
		t->size = intrinsics[i].size;
		t->is_signed = intrinsics[i].is_signed;
		register_name(ts, t->name, t);
	}
	for (size_t i = 0; i < ARRAY_LEN(spellings); i++)
		register_name(ts, spellings[i].name, type_find(ts, spellings[i].same));
	define_in6_addr(ts);
	for (size_t i = 0; i < ARRAY_LEN(builtins); i++)
		type_define(ts, builtins[i].name, type_find(ts, builtins[i].base));
	t = type_new(ts, TYPE_STRING, "string");
	register_name(ts, "string", t);
	ts->t_string = t;
	ts->t_func = type_new(ts, TYPE_FUNC, "int ()");
	ts->t_dyn = type_new(ts, TYPE_DYN, "dynamic");
	ts->t_void = type_find(ts, "void");
	ts->t_char = type_find(ts, "char");
	ts->t_int = type_find(ts, "int");
	ts->t_uint = type_find(ts, "unsigned int");
	ts->t_long = type_find(ts, "long");
	ts->t_ulong = type_find(ts, "unsigned long");
	ts->t_longlong = type_find(ts, "long long");
	ts->t_ulonglong = type_find(ts, "unsigned long long");
	ts->t_int64 = type_find(ts, "int64_t");
	ts->t_size = type_find(ts, "size_t");
	ts->t_ptrdiff = type_find(ts, "ptrdiff_t");
}

void types_release(struct types *ts)
{
	strmap_release(&ts->names);
}

const struct type *type_find(const struct types *ts, const char *name)
{
	uint64_t v;

	if (!strmap_get(&ts->names, name, &v))
		return NULL;
	return (const struct type *)(uintptr_t)v;
}

const struct type *type_define(struct types *ts, const char *name,
			       const struct type *base)
{
	struct type *t;

	if (type_find(ts, name))
		return NULL;
	t = type_new(ts, TYPE_ALIAS, name);
	t->base = base;
	register_name(ts, name, t);
	return t;
}

/* Only the struct types that owns a type may change it. */
static struct type *derive(struct types *ts, const struct type *base,
			   const struct type *like, const char *name)
{
	struct type *owner = (struct type *)(uintptr_t)base;

	for (struct type *t = owner->derived; t; t = t->next)
		if (t->kind == like->kind && t->count == like->count &&
		    t->is_user == like->is_user && strcmp(t->name, name) == 0)
			return t;

	struct type *t = type_new(ts, like->kind, name);

	t->size = like->size;
	t->count = like->count;
	t->is_user = like->is_user;
	t->base = base;
	t->next = owner->derived;
	owner->derived = t;
	return t;
}

/* A pointer to "int [3]" is "int (*)[3]"; the same with "int ()". */
static const char *pointer_name(struct types *ts, const struct type *base)
{
	const char *name = base->name;
	size_t n = strlen(name);

	if (base->kind == TYPE_ARRAY || base->kind == TYPE_FUNC) {
		const char *at = strpbrk(name, "[(");
		int stem = (int)(at - name);

		return arena_printf(ts->arena, "%.*s(*)%s", stem, name, at);
	}
	if (base->kind == TYPE_POINTER && n > 0 && name[n - 1] == ')')
		return arena_printf(ts->arena, "%s *", name);
	return arena_printf(ts->arena, n > 0 && name[n - 1] == '*' ? "%s*" : "%s *",
			    name);
}

const struct type *type_pointer(struct types *ts, const struct type *base)
{
	const struct type like = {.kind = TYPE_POINTER, .size = 8};

	return derive(ts, base, &like, pointer_name(ts, base));
}

const struct type *type_array(struct types *ts, const struct type *elem, uint32_t count)
{
	uint64_t size = type_size(ts, elem) * count;
	const struct type like = {
		.kind = TYPE_ARRAY, .size = (uint32_t)size, .count = count};
	const char *at = elem->kind == TYPE_ARRAY ? strchr(elem->name, '[') : NULL;
	const char *name;

	if (at)
		name = arena_printf(ts->arena, "%.*s[%u]%s", (int)(at - elem->name),
				    elem->name, count, at);
	else
		name = arena_printf(ts->arena, "%s [%u]", elem->name, count);
	return derive(ts, elem, &like, name);
}

const struct type *type_alias(struct types *ts, const char *name,
			      const struct type *base)
{
	const struct type like = {.kind = TYPE_ALIAS};

	return derive(ts, base, &like, name);
}

const struct type *type_vector(struct types *ts, const struct type *array)
{
	const struct type like = {.kind = TYPE_ALIAS};
	struct type *t = derive(ts, array, &like, array->name);

	t->is_vector = true;
	return t;
}

const struct type *type_wide(struct types *ts, const char *name, bool is_signed)
{
	const struct type *bytes = type_array(ts, type_find(ts, "unsigned char"), 16);
	const struct type like = {.kind = TYPE_ALIAS};
	struct type *t = derive(ts, bytes, &like, name);

	t->is_wide = true;
	t->is_signed = is_signed;
	return t;
}

const struct type *type_qualified(struct types *ts, const char *word,
				  const struct type *base)
{
	const struct type like = {.kind = TYPE_ALIAS};

	/* The qualifier of a pointer follows the star: "int * const". */
	if (base->kind == TYPE_POINTER)
		return derive(ts, base, &like,
			      arena_printf(ts->arena, "%s %s", base->name, word));
	return derive(ts, base, &like,
		      arena_printf(ts->arena, "%s %s", word, base->name));
}

const struct type *type_userland(struct types *ts, const struct type *t)
{
	const struct type *p = type_resolve(t);
	const struct type like = {.kind = TYPE_POINTER, .size = 8, .is_user = true};

	if (p->kind != TYPE_POINTER || p->is_user)
		return t;

	const struct type *base = type_userland(ts, p->base);
	/* The name of a pointer to a userland pointer begins with it already. */
	const char *word = strncmp(t->name, "userland ", 9) == 0 ? "" : "userland ";

	return derive(ts, base, &like, arena_printf(ts->arena, "%s%s", word, t->name));
}

const struct type *type_resolve(const struct type *t)
{
	while (t->kind == TYPE_ALIAS)
		t = t->base;
	return t;
}

uint64_t type_size(const struct types *ts, const struct type *t)
{
	t = type_resolve(t);
	/* A struct of the target is completed when its size is first needed. */
	if (type_is_struct_or_union(t))
		type_complete((struct types *)(uintptr_t)ts, t);
	return t->kind == TYPE_STRING ? ts->strsize : t->size;
}

bool type_is_int(const struct type *t)
{
	enum type_kind k = type_resolve(t)->kind;

	return k == TYPE_INT || k == TYPE_ENUM;
}

bool type_is_float(const struct type *t)
{
	return type_resolve(t)->kind == TYPE_FLOAT;
}

bool type_is_pointer(const struct type *t)
{
	enum type_kind k = type_resolve(t)->kind;

	return k == TYPE_POINTER || k == TYPE_ARRAY;
}

bool type_is_string(const struct type *t)
{
	return type_resolve(t)->kind == TYPE_STRING;
}

bool type_is_scalar(const struct type *t)
{
	enum type_kind k = type_resolve(t)->kind;

	return k == TYPE_INT || k == TYPE_ENUM || k == TYPE_POINTER;
}

bool type_is_signed(const struct type *t)
{
	t = type_resolve(t);
	return (t->kind == TYPE_INT || t->kind == TYPE_ENUM) && t->is_signed;
}

bool type_is_void(const struct type *t)
{
	return type_resolve(t)->kind == TYPE_VOID;
}

bool type_is_by_address(const struct type *t)
{
	t = type_resolve(t);
	return t->kind == TYPE_ARRAY || t->kind == TYPE_STRUCT ||
	       t->kind == TYPE_UNION || t->kind == TYPE_FLOAT || type_is_location(t);
}

bool type_is_userland(const struct type *t)
{
	t = type_resolve(t);
	return t->kind == TYPE_POINTER && t->is_user;
}

bool type_is_strcompat(const struct type *t)
{
	t = type_resolve(t);
	if (t->kind == TYPE_STRING)
		return true;
	if (t->kind != TYPE_POINTER && t->kind != TYPE_ARRAY)
		return false;
	t = type_resolve(t->base);
	return t->kind == TYPE_INT && t->size == 1;
}

bool type_is_wide_text(const struct type *t)
{
	t = type_resolve(t);
	if (t->kind != TYPE_ARRAY)
		return false;
	t = type_resolve(t->base);
	return t->kind == TYPE_INT && t->size == 4;
}

const struct type *type_pointee(const struct types *ts, const struct type *t)
{
	t = type_resolve(t);
	if (t->kind == TYPE_STRING)
		return ts->t_char;
	return t->kind == TYPE_POINTER || t->kind == TYPE_ARRAY ? t->base : NULL;
}

bool type_is_same(const struct type *a, const struct type *b)
{
	a = type_resolve(a);
	b = type_resolve(b);
	if (a == b)
		return true;
	if (a->kind != b->kind)
		return false;
	if (a->kind == TYPE_INT || a->kind == TYPE_FLOAT)
		return a->size == b->size && a->is_signed == b->is_signed;
	if (a->kind == TYPE_POINTER)
		return a->is_user == b->is_user && type_is_same(a->base, b->base);
	if (a->kind == TYPE_ARRAY)
		return a->count == b->count && type_is_same(a->base, b->base);
	return a->source && a->source == b->source && a->source->same &&
	       a->source->same(a->source->ctx, a, b);
}

/* An enum counts as int. */
static const struct type *arithmetic(const struct type *t)
{
	const struct type *r = type_resolve(t);

	return r->kind == TYPE_ENUM ? r->base : t;
}

const struct type *type_promote(const struct type *a, const struct type *b)
{
	a = arithmetic(a);
	b = arithmetic(b);

	const struct type *ra = type_resolve(a), *rb = type_resolve(b);
	uint32_t rank_a = ra->size * 8 + !ra->is_signed;
	uint32_t rank_b = rb->size * 8 + !rb->is_signed;

	if (rank_a != rank_b)
		return rank_a > rank_b ? a : b;
	return a->order >= b->order ? a : b;
}

const struct type *type_of_literal(const struct types *ts, uint64_t v, bool is_decimal,
				   bool has_u, unsigned longs)
{
	const struct {
		const struct type *type;
		uint64_t max;
		unsigned longs;
	} list[] = {
		{ts->t_int, INT32_MAX, 0},	{ts->t_uint, UINT32_MAX, 0},
		{ts->t_long, INT64_MAX, 1},	{ts->t_ulong, UINT64_MAX, 1},
		{ts->t_longlong, INT64_MAX, 2}, {ts->t_ulonglong, UINT64_MAX, 2},
	};

	for (size_t i = 0; i < ARRAY_LEN(list); i++) {
		bool is_u = !list[i].type->is_signed;

		if (list[i].longs < longs || v > list[i].max)
			continue;
		if (has_u ? is_u : !is_u || !is_decimal)
			return list[i].type;
	}
	return NULL;
}

/* struct timespec of the C library. */
static const struct type *common_timespec(struct types *ts)
{
	struct type_member m = {.name = "tv_sec", .type = ts->t_long};
	struct type *t;

	if (ts->timespec)
		return ts->timespec;
	t = type_tagged(ts, TYPE_STRUCT, "struct timespec", false);
	type_add_member(ts, t, &m);
	m.name = "tv_nsec";
	type_add_member(ts, t, &m);
	type_lay_out(ts, t);
	ts->timespec = t;
	return t;
}

const struct type *type_common(struct types *ts, const char *name)
{
	static const struct {
		const char *name, *base;
	} common[] = {
#define COMMON(name, base) {#name, base},
#include "dlang/base/common.def"
#undef COMMON
	};
	const struct type *base;

	if (strcmp(name, "struct timespec") == 0)
		return common_timespec(ts);
	for (size_t i = 0; i < ARRAY_LEN(common); i++) {
		if (strcmp(common[i].name, name) != 0)
			continue;
		base = type_parse(ts, common[i].base, strlen(common[i].base));
		return type_alias(ts, name, base ? base : common_timespec(ts));
	}
	return NULL;
}

/* Types in the prototypes of the tables: [const] NAME [*...]. */
const struct type *type_parse(struct types *ts, const char *text, size_t n)
{
	bool is_const = n > 6 && memcmp(text, "const ", 6) == 0;
	size_t stars = 0;
	const struct type *t;
	const char *name;

	if (is_const) {
		text += 6;
		n -= 6;
	}
	for (; n > 0 && (text[n - 1] == '*' || text[n - 1] == ' '); n--)
		stars += text[n - 1] == '*';
	name = arena_strndup(ts->arena, text, n);
	t = type_find(ts, name);
	if (!t)
		t = type_common(ts, name);
	if (t && is_const)
		t = type_qualified(ts, "const", t);
	for (; t && stars > 0; stars--)
		t = type_pointer(ts, t);
	return t;
}

/* SPDX-License-Identifier: MIT */
#include "dlang/base/content.h"

#include <string.h>

#define ELEMENTS_CAP 256u  /* bytes of elements that are read */
#define ELEMENTS_MAX 8u	   /* elements of which the content is read as well */
#define DEPTH_MAX    3	   /* vectors of vectors of ... */
#define PIECES_BYTES 16000 /* of one value */
#define NESTED_MAX   16	   /* structs in structs */
#define MEMBERS_MAX  2000  /* looked at for one value */

/* ---- members ---- */

static bool is_pointer(const struct type *t)
{
	return type_resolve(t)->kind == TYPE_POINTER;
}

/* The first pointer, in the order of members, that is called name (NULL: any). */
static bool find_pointer(struct types *ts, const struct type *t, const char *name,
			 unsigned depth, struct type_member *out)
{
	if (!type_is_struct_or_union(t) || !type_complete(ts, t) || depth == 0)
		return false;
	for (const struct type_member *m = type_resolve(t)->members; m; m = m->next) {
		bool is_base = !m->name[0];

		if ((!name || strcmp(m->name, name) == 0) && is_pointer(m->type)) {
			*out = *m;
			return true;
		}
		if ((is_base || !name) &&
		    find_pointer(ts, m->type, name, depth - 1, out)) {
			out->offset += m->offset;
			return true;
		}
	}
	return false;
}

/* The member at the end of a path of names; its offset is from the start of t. */
static bool find_path(struct types *ts, const struct type *t, const char *const *path,
		      struct type_member *out)
{
	uint64_t offset = 0;

	for (; *path; path++) {
		if (!type_member(ts, t, *path, out) || out->nbits)
			return false;
		offset += out->offset;
		t = out->type;
	}
	out->offset = offset;
	return true;
}

static bool is_inside(struct types *ts, const struct type *t, uint64_t offset)
{
	uint64_t size = type_size(ts, t);

	return size >= 8 && offset <= size - 8;
}

/* Sets what all kinds but OPTIONAL have; false: the layout is another. */
static bool set_pointed(struct types *ts, const struct type *t,
			const struct type_member *pointer, struct content *c)
{
	if (!c->element)
		c->element = type_resolve(pointer->type)->base;
	c->begin = pointer->offset;
	return type_size(ts, c->element) > 0 && is_inside(ts, t, c->begin) &&
	       is_inside(ts, t, c->length);
}

static bool set_length(struct types *ts, const struct type *t, const char *name,
		       struct content *c)
{
	struct type_member m;

	if (!type_member(ts, t, name, &m) || !type_is_int(m.type) ||
	    type_size(ts, m.type) != 8)
		return false;
	c->length = m.offset;
	return true;
}

/* ---- libstdc++ ---- */

static bool find_string(struct types *ts, const struct type *t, struct content *c)
{
	static const char *const path[] = {"_M_dataplus", "_M_p", NULL};
	struct type_member m;

	c->kind = CONTENT_TEXT;
	return find_path(ts, t, path, &m) && is_pointer(m.type) &&
	       set_length(ts, t, "_M_string_length", c) && set_pointed(ts, t, &m, c);
}

static bool find_string_view(struct types *ts, const struct type *t, struct content *c)
{
	struct type_member m;

	c->kind = CONTENT_TEXT;
	return type_member(ts, t, "_M_str", &m) && is_pointer(m.type) &&
	       set_length(ts, t, "_M_len", c) && set_pointed(ts, t, &m, c);
}

/* std::vector<bool> has no such pointers. */
static bool find_vector(struct types *ts, const struct type *t, struct content *c)
{
	struct type_member impl, start, finish;

	c->kind = CONTENT_ELEMENTS;
	c->has_end = true;
	if (!type_member(ts, t, "_M_impl", &impl) ||
	    !find_pointer(ts, impl.type, "_M_start", NESTED_MAX, &start) ||
	    !find_pointer(ts, impl.type, "_M_finish", NESTED_MAX, &finish))
		return false;
	start.offset += impl.offset;
	c->length = impl.offset + finish.offset;
	return set_pointed(ts, t, &start, c);
}

static bool find_optional(struct types *ts, const struct type *t, struct content *c)
{
	static const char *const value[] = {"_M_payload", "_M_payload", "_M_value",
					    NULL};
	static const char *const flag[] = {"_M_payload", "_M_engaged", NULL};
	struct type_member m;
	uint64_t size;

	c->kind = CONTENT_OPTIONAL;
	if (!find_path(ts, t, value, &m))
		return false;
	c->element = m.type;
	c->begin = m.offset;
	size = type_size(ts, m.type);
	if (!size || !find_path(ts, t, flag, &m) || type_size(ts, m.type) != 1)
		return false;
	c->length = m.offset;
	return c->length < type_size(ts, t) && c->begin + size <= type_size(ts, t);
}

static bool find_unique(struct types *ts, const struct type *t, struct content *c)
{
	static const char *const path[] = {"_M_t", "_M_t", NULL};
	struct type_member tuple, m;

	c->kind = CONTENT_POINTEE;
	if (!find_path(ts, t, path, &tuple) ||
	    !find_pointer(ts, tuple.type, "_M_head_impl", NESTED_MAX, &m))
		return false;
	m.offset += tuple.offset;
	return set_pointed(ts, t, &m, c);
}

static bool find_shared(struct types *ts, const struct type *t, struct content *c)
{
	struct type_member m;

	c->kind = CONTENT_POINTEE;
	return find_pointer(ts, t, "_M_ptr", NESTED_MAX, &m) &&
	       set_pointed(ts, t, &m, c);
}

/* ---- Rust ---- */

/* The pointer of a Vec is inside of several structs, which differ between compilers. */
static bool find_vec(struct types *ts, const struct type *t, struct content *c)
{
	struct type_member buffer, m;

	c->kind = CONTENT_ELEMENTS;
	if (!type_member(ts, t, "buf", &buffer) || !set_length(ts, t, "len", c) ||
	    !find_pointer(ts, buffer.type, NULL, NESTED_MAX, &m))
		return false;
	c->element = type_resolve(t)->argument;
	m.offset += buffer.offset;
	return set_pointed(ts, t, &m, c);
}

static bool find_rust_string(struct types *ts, const struct type *t, struct content *c)
{
	struct type_member vec;

	if (!type_member(ts, t, "vec", &vec) || !find_vec(ts, vec.type, c) ||
	    type_size(ts, c->element) != 1)
		return false;
	c->kind = CONTENT_TEXT;
	c->begin += vec.offset;
	c->length += vec.offset;
	return true;
}

static bool find_slice(struct types *ts, const struct type *t, struct content *c)
{
	struct type_member m;

	c->kind = CONTENT_ELEMENTS;
	return type_member(ts, t, "data_ptr", &m) && is_pointer(m.type) &&
	       set_length(ts, t, "length", c) && set_pointed(ts, t, &m, c);
}

static bool find_str(struct types *ts, const struct type *t, struct content *c)
{
	if (!find_slice(ts, t, c) || type_size(ts, c->element) != 1)
		return false;
	c->kind = CONTENT_TEXT;
	return true;
}

/* ---- types ---- */

/* A name that ends in "<" or "[" is the beginning of one. */
static const struct known {
	const char *name;
	bool (*find)(struct types *ts, const struct type *t, struct content *c);
} known[] = {
	{"basic_string<char,", find_string},
	{"basic_string_view<char,", find_string_view},
	{"vector<", find_vector},
	{"optional<", find_optional},
	{"unique_ptr<", find_unique},
	{"shared_ptr<", find_shared},
	{"&str", find_str},
	{"&mut str", find_str},
	{"&[", find_slice},
	{"&mut [", find_slice},
	{"String", find_rust_string},
	{"Vec<", find_vec},
};

static bool is_called(const char *name, const char *pattern)
{
	size_t n = strlen(pattern);

	if (strchr("<[,", pattern[n - 1]))
		return strncmp(name, pattern, n) == 0;
	return strcmp(name, pattern) == 0;
}

bool content_find(struct types *ts, const struct type *t, struct content *out)
{
	static const char word[] = "struct ";
	const char *name;

	t = type_resolve(t);
	if (t->kind != TYPE_STRUCT || strncmp(t->name, word, sizeof(word) - 1) != 0)
		return false;
	name = t->name + sizeof(word) - 1;
	for (size_t i = 0; i < ARRAY_LEN(known); i++) {
		*out = (struct content){.kind = CONTENT_TEXT};
		if (is_called(name, known[i].name) && type_complete(ts, t))
			return known[i].find(ts, t, out);
	}
	return false;
}

bool content_is_text(struct types *ts, const struct type *t, struct content *out)
{
	return content_find(ts, t, out) && out->kind == CONTENT_TEXT;
}

/* ---- names ---- */

/* Beginnings of template arguments that are left out, to their '>'. */
static const char *const left_out[] = {
	", std::allocator<",
	", std::default_delete<",
	", std::char_traits<",
};

/* Text that is replaced, the longer before its beginning. */
static const struct {
	const char *from, *to;
} replaced[] = {
	{"std::__cxx11::basic_string<char>", "std::string"},
	{"std::basic_string_view<char>", "std::string_view"},
	{"basic_string<char>", "std::string"},
	{"basic_string_view<char>", "std::string_view"},
	{"alloc::string::String", "String"},
	{"alloc::vec::Vec", "Vec"},
	{", alloc::alloc::Global", ""},
};

static bool begins(const char *s, const char *with)
{
	return strncmp(s, with, strlen(with)) == 0;
}

/* Behind the '>' that ends what begins at s, in a '<' already. */
static const char *skip_argument(const char *s)
{
	unsigned depth = 1;

	for (; *s && depth; s++)
		depth = *s == '<' ? depth + 1 : *s == '>' ? depth - 1 : depth;
	return s;
}

static const char *skip_left_out(const char *s)
{
	for (size_t i = 0; i < ARRAY_LEN(left_out); i++)
		if (begins(s, left_out[i]))
			return skip_argument(s + strlen(left_out[i]));
	return *s == ' ' && s[1] == '>' ? s + 1 : s;
}

static size_t add_replaced(const char *s, struct strbuf *out)
{
	for (size_t i = 0; i < ARRAY_LEN(replaced); i++) {
		if (!begins(s, replaced[i].from))
			continue;
		strbuf_puts(out, replaced[i].to);
		return strlen(replaced[i].from);
	}
	strbuf_putc(out, *s);
	return 1;
}

void content_type_name(const struct type *t, struct strbuf *out)
{
	const char *anonymous = strstr(t->name, " <");
	const char *end = anonymous ? anonymous : t->name + strlen(t->name);
	struct strbuf text = {0};

	for (const char *s = t->name; s < end;) {
		const char *next = skip_left_out(s);

		if (next == s)
			strbuf_putc(&text, *s++);
		else
			s = next;
	}
	for (size_t i = 0; i < text.len;)
		i += add_replaced(text.data + i, out);
	strbuf_release(&text);
}

/* ---- plans ---- */

struct planning {
	struct types *ts;
	struct content_plan *plan;
	uint32_t members; /* looked at so far */
};

/* Where a value is: in the value that is printed, or in a piece. */
struct where {
	uint32_t owner;
	uint64_t offset;
	unsigned depth; /* pieces that lead here */
	unsigned nested;
};

static void plan_value(struct planning *p, const struct type *t,
		       const struct where *at);

static uint32_t room(const struct planning *p, const struct content *c, unsigned depth)
{
	uint32_t text = depth ? p->ts->strsize / 4 : p->ts->strsize;
	uint64_t size = type_size(p->ts, c->element);

	if (c->kind == CONTENT_TEXT)
		return (uint32_t)align_up(text, 8);
	if (c->kind == CONTENT_POINTEE)
		return size > PIECES_BYTES ? PIECES_BYTES : (uint32_t)align_up(size, 8);
	return size > ELEMENTS_CAP ? (uint32_t)align_up(size, 8) : ELEMENTS_CAP;
}

static void add_piece(struct planning *p, const struct type *t, const struct content *c,
		      const struct where *at)
{
	struct content_plan *plan = p->plan;
	uint32_t cap = room(p, c, at->depth);

	if (plan->n == CONTENT_PIECES_MAX || at->depth == DEPTH_MAX ||
	    type_size(p->ts, c->element) > PIECES_BYTES ||
	    plan->size + 8 + cap > PIECES_BYTES)
		return;
	plan->pieces[plan->n++] =
		(struct content_piece){t, *c, at->owner, at->offset, plan->size, cap};
	plan->size += 8 + cap;
}

static void plan_members(struct planning *p, const struct type *t,
			 const struct where *at)
{
	if (t->kind != TYPE_STRUCT || !type_complete(p->ts, t))
		return;
	for (const struct type_member *m = t->members; m; m = m->next) {
		struct where inner = *at;

		if (m->nbits || p->members++ == MEMBERS_MAX)
			continue;
		inner.offset += m->offset;
		inner.nested++;
		plan_value(p, m->type, &inner);
	}
}

static void plan_elements(struct planning *p, const struct type *element, uint64_t n,
			  const struct where *at)
{
	uint64_t size = type_size(p->ts, element);

	for (uint64_t i = 0; i < n && i < ELEMENTS_MAX; i++) {
		struct where one = *at;

		one.offset += i * size;
		one.nested++;
		plan_value(p, element, &one);
	}
}

static void plan_value(struct planning *p, const struct type *t, const struct where *at)
{
	struct where inner = *at;
	struct content c;

	t = type_resolve(t);
	if (at->nested == NESTED_MAX || p->members > MEMBERS_MAX)
		return;
	p->members++;
	if (!content_find(p->ts, t, &c)) {
		if (t->kind == TYPE_ARRAY)
			plan_elements(p, t->base, t->count, at);
		else
			plan_members(p, t, at);
	} else if (c.kind == CONTENT_OPTIONAL) {
		inner.offset += c.begin;
		inner.nested++;
		plan_value(p, c.element, &inner);
	} else {
		add_piece(p, t, &c, at);
	}
}

void content_plan(struct types *ts, const struct type *t, struct content_plan *out)
{
	struct planning p = {ts, out, 0};
	struct where at = {0, 0, 0, 0};
	unsigned depth[CONTENT_PIECES_MAX];

	*out = (struct content_plan){.type = t, .is_wanted = true};
	plan_value(&p, t, &at);
	for (uint32_t i = 0; i < out->n; i++) {
		const struct content_piece *piece = &out->pieces[i];
		const struct type *element = piece->content.element;

		depth[i] = 1 + (piece->owner ? depth[piece->owner - 1] : 0);
		at = (struct where){i + 1, 8, depth[i], 0};
		if (piece->content.kind != CONTENT_TEXT)
			plan_elements(&p, element, piece->cap / type_size(ts, element),
				      &at);
	}
}

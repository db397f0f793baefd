/* SPDX-License-Identifier: MIT */
#include "dlang/base/content.h"

#include <string.h>

#define ELEMENTS_CAP 256u  /* bytes of elements that are read */
#define NODES_CAP    1024u /* bytes of values in nodes that are read */
#define NODES_LIMIT  16u   /* so many of them at most */
#define ELEMENTS_MAX 8u	   /* elements of which the content is read as well */
#define DEPTH_MAX    3	   /* vectors of vectors of ... */
#define PIECES_BYTES 16000 /* of one value */
#define NESTED_MAX   16	   /* structs in structs */
#define MEMBERS_MAX  2000  /* looked at for one value */

/* ---- names ---- */

/* Beginnings of template arguments that are left out, to their '>'. */
static const char *const left_out[] = {
	", std::allocator<", ", std::default_delete<", ", std::char_traits<",
	", std::less<",	     ", std::hash<",	       ", std::equal_to<",
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
	static const char anonymous[] = " <anonymous>";

	for (size_t i = 0; i < ARRAY_LEN(left_out); i++)
		if (begins(s, left_out[i]))
			return skip_argument(s + strlen(left_out[i]));
	if (begins(s, anonymous))
		return s + sizeof(anonymous) - 1;
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
	static const char userland[] = "userland ";
	const char *s = t->name;
	struct strbuf text = {0};

	if (begins(s, userland))
		s += sizeof(userland) - 1;
	while (*s) {
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

/* How many values in nodes are read: of structs only those whose content is read. */
static uint64_t nodes_room(const struct content *c)
{
	uint64_t n = NODES_CAP / c->shape.size,
		 most = type_is_struct_or_union(c->element) ? ELEMENTS_MAX
							    : NODES_LIMIT;

	return n > most ? most : n ? n : 1;
}

static uint32_t room(const struct planning *p, const struct content *c, unsigned depth)
{
	uint32_t text = depth ? p->ts->strsize / 4 : p->ts->strsize;
	uint64_t size = type_size(p->ts, c->element);

	if (c->kind == CONTENT_TEXT)
		return (uint32_t)align_up(text, 8);
	if (c->kind == CONTENT_NODES || c->kind == CONTENT_BLOCKS)
		return (uint32_t)align_up(nodes_room(c) * size, 8);
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

/* All that it may be: which of them it is, is known when the value is printed. */
static void plan_variants(struct planning *p, const struct type *t,
			  const struct where *at)
{
	for (const struct type_member *m = t->variants->first; m; m = m->next) {
		struct where inner = *at;

		if (p->members++ == MEMBERS_MAX)
			return;
		inner.offset += m->offset;
		inner.nested++;
		plan_value(p, m->type, &inner);
	}
}

static void plan_parts(struct planning *p, const struct type *t,
		       const struct content *c, const struct where *at)
{
	struct type_member part;

	for (uint32_t i = 0; content_part(p->ts, t, c, i, &part); i++) {
		struct where inner = *at;

		inner.offset += part.offset;
		inner.nested++;
		plan_value(p, part.type, &inner);
	}
}

static void plan_members(struct planning *p, const struct type *t,
			 const struct where *at)
{
	if (t->kind != TYPE_STRUCT || !type_complete(p->ts, t))
		return;
	if (t->variants)
		plan_variants(p, t, at);
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
	} else if (c.kind == CONTENT_PARTS || c.kind == CONTENT_VARIANT) {
		plan_parts(p, t, &c, at);
	} else if (c.kind == CONTENT_OPTIONAL || c.kind == CONTENT_WRAPPED) {
		inner.offset += c.begin;
		inner.nested++;
		plan_value(p, c.element, &inner);
	} else if (c.kind != CONTENT_BITS) {
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

/* SPDX-License-Identifier: MIT */
/*
 * print(): values by their content (base/content.h). What the target has was read when
 * the probe fired, as the plan of the action says; lengths may be any.
 */
#include "dlang/print.h"

#include <string.h>

#define WHOLE_MAX (UINT64_C(1) << 47) /* bytes that a process can have */

/* The content of a value that its record has. */
struct piece {
	const struct content *content;
	const unsigned char *bytes;
	uint64_t n;	    /* bytes read */
	uint64_t whole;	    /* bytes that there are; the most if they have no length */
	enum nodes_end end; /* of NODES and BLOCKS */
};

static bool is_in_nodes(const struct content *c)
{
	return c->kind == CONTENT_NODES || c->kind == CONTENT_BLOCKS;
}

static uint64_t word_at(const struct subobject *at, uint64_t offset)
{
	uint64_t v = 0;

	if (at->n >= 8 && offset <= at->n - 8)
		memcpy(&v, at->bytes + offset, 8);
	return v;
}

/* Values in a std::deque, as print_nodes() is told. */
static uint64_t deque_length(const struct subobject *at, const struct content *c)
{
	uint64_t n = word_at(at, c->length + CONTENT_DEQUE_NODE) -
		     word_at(at, c->begin + CONTENT_DEQUE_NODE);
	uint64_t skip = word_at(at, c->begin + CONTENT_DEQUE_CUR) -
			word_at(at, c->begin + CONTENT_DEQUE_FIRST);
	uint64_t last = word_at(at, c->length + CONTENT_DEQUE_CUR) -
			word_at(at, c->length + CONTENT_DEQUE_FIRST);

	return n / sizeof(n) * c->shape.offset + last / c->shape.size -
	       skip / c->shape.size;
}

static uint64_t whole_size(struct printer *p, const struct subobject *at,
			   const struct content *c)
{
	uint64_t size = type_size(p->types, c->element), n;

	if (c->kind == CONTENT_POINTEE)
		return word_at(at, c->begin) ? size : 0;
	if (c->shape.is_ended)
		return UINT64_MAX;
	n = c->kind == CONTENT_BLOCKS ? deque_length(at, c) : word_at(at, c->length);
	if (c->has_end)
		return n - word_at(at, c->begin);
	return n > UINT64_MAX / size ? UINT64_MAX : n * size;
}

static const unsigned char *start_of(const struct printer *p, uint32_t owner)
{
	if (!owner)
		return p->value->bytes;
	return (const unsigned char *)p->value->pieces + p->plan->pieces[owner - 1].at;
}

static void read_piece(struct printer *p, const struct subobject *at, uint32_t i,
		       struct piece *out)
{
	const struct content_piece *piece = &p->plan->pieces[i];
	uint64_t word;

	*out = (struct piece){.content = &piece->content,
			      .bytes = start_of(p, i + 1) + 8,
			      .whole = whole_size(p, at, &piece->content)};
	memcpy(&word, out->bytes - 8, 8);
	if (is_in_nodes(out->content)) {
		out->end = (enum nodes_end)(word >> NODES_END_SHIFT);
		word &= (UINT64_C(1) << NODES_END_SHIFT) - 1;
	}
	out->n = min_u64(min_u64(word, piece->cap), out->whole);
}

/* Finds the piece that was read for a value of this type at this place. */
static bool find_piece(struct printer *p, const struct subobject *at, struct piece *out)
{
	for (uint32_t i = 0; p->value->pieces && i < p->plan->n; i++) {
		const struct content_piece *piece = &p->plan->pieces[i];

		if (start_of(p, piece->owner) + piece->offset != at->bytes ||
		    piece->type != at->type)
			continue;
		read_piece(p, at, i, out);
		return true;
	}
	return false;
}

/* ---- elements ---- */

static bool is_by_members(struct printer *p, const struct type *t)
{
	struct content c;

	return type_is_struct_or_union(t) && !content_find(p->types, t, &c);
}

/* Whether the elements of a map begin a line each. */
static bool is_tall_pair(struct printer *p, const struct content *c)
{
	struct type_member key, value;

	return type_member(p->types, c->element, "first", &key) &&
	       type_member(p->types, c->element, "second", &value) &&
	       (is_by_members(p, key.type) || type_is_struct_or_union(value.type));
}

static bool print_pair(struct printer *p, const struct subobject *at)
{
	struct type_member m[2];

	if (!type_member(p->types, at->type, "first", &m[0]) ||
	    !type_member(p->types, at->type, "second", &m[1]))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(m); i++) {
		uint64_t size = type_size(p->types, m[i].type);
		struct subobject one = {.type = m[i].type,
					.bytes = at->bytes + m[i].offset,
					.n = (size_t)size,
					.depth = at->depth};

		if (i)
			p->form->colon(p);
		if (m[i].offset > at->n || size > at->n - m[i].offset)
			print_remark(p, "<outside>");
		else
			print_value(p, &one);
	}
	return true;
}

/* What is said of elements that are not shown. */
static void print_rest(struct printer *p, const struct piece *piece, struct group *g)
{
	uint64_t size = type_size(p->types, piece->content->element);
	unsigned long long rest = (piece->whole - piece->n) / size;
	bool is_unknown = piece->content->shape.is_ended;

	if (piece->n >= piece->whole || (is_unknown && piece->end == NODES_ENDED) ||
	    (!is_unknown && !rest))
		return;
	/* a remark, not a pair */
	g->kind = g->kind == GROUP_PAIRS ? GROUP_CONTENT : g->kind;
	p->form->item(p, g, NULL, NULL);
	if (is_unknown && piece->end == NODES_MORE)
		print_remark(p, "... more");
	else if (piece->end == NODES_ENDED)
		print_remark(p, "<the nodes end: %llu more are missing>", rest);
	else if (piece->end == NODES_UNREADABLE && is_unknown)
		print_remark(p, "<the next cannot be read>");
	else if (piece->end == NODES_UNREADABLE)
		print_remark(p, "<%llu more cannot be read>", rest);
	else if (piece->end == NODES_ENDLESS)
		print_remark(p, "<the nodes do not end>");
	else
		print_remark(p, "... %llu more", rest);
	p->form->item_end(p, g);
}

static void print_all(struct printer *p, const struct piece *piece, uint32_t depth)
{
	const struct content *c = piece->content;
	uint64_t size = type_size(p->types, c->element);
	struct group g = {.kind = c->is_map ? GROUP_PAIRS : GROUP_CONTENT,
			  .depth = depth};

	g.is_tall =
		c->is_map ? is_tall_pair(p, c) : type_is_struct_or_union(c->element);
	p->form->begin(p, &g);
	for (uint64_t i = 0; i < piece->n / size && !print_is_full(p); i++) {
		struct subobject one = {.type = type_resolve(c->element),
					.bytes = piece->bytes + i * size,
					.n = (size_t)size,
					.depth = depth + 1};

		p->form->item(p, &g, NULL, NULL);
		if (!c->is_map || !print_pair(p, &one))
			print_value(p, &one);
		p->form->item_end(p, &g);
	}
	if (!print_is_full(p)) {
		enum group_kind kind = g.kind;

		print_rest(p, piece, &g);
		g.kind = kind;
	}
	p->form->end(p, &g);
}

static void print_pointee(struct printer *p, const struct subobject *at,
			  const struct piece *piece)
{
	struct subobject one = {.type = piece->content->element,
				.bytes = piece->bytes,
				.n = (size_t)piece->n,
				.depth = at->depth};

	p->form->pointee(p, word_at(at, piece->content->begin));
	print_value(p, &one);
}

static void print_nothing(struct printer *p, const struct content *c)
{
	struct group g = {.kind = c->is_map ? GROUP_PAIRS : GROUP_CONTENT};

	if (c->kind == CONTENT_TEXT) {
		p->form->text(p, NULL, 0, false);
	} else if (c->kind == CONTENT_POINTEE) {
		print_remark(p, "NULL");
	} else {
		p->form->begin(p, &g);
		p->form->end(p, &g);
	}
}

/* What a value of such a type has. */
static void print_piece(struct printer *p, const struct subobject *at,
			const struct piece *piece)
{
	const struct content *c = piece->content;
	bool is_known = !c->shape.is_ended;

	if (!piece->whole || (!is_known && piece->end == NODES_ENDED && !piece->n))
		print_nothing(p, c);
	else if (is_known && piece->whole > WHOLE_MAX)
		print_remark(p, "<%llu bytes: not possible>",
			     (unsigned long long)piece->whole);
	else if (!piece->n && !is_in_nodes(c))
		print_remark(p, "<%llu bytes at %#llx cannot be read>",
			     (unsigned long long)piece->whole,
			     (unsigned long long)word_at(at, c->begin));
	else if (c->kind == CONTENT_TEXT)
		p->form->text(p, piece->bytes, (size_t)piece->n,
			      piece->n < piece->whole);
	else if (c->kind == CONTENT_POINTEE)
		print_pointee(p, at, piece);
	else
		print_all(p, piece, at->depth);
}

/* ---- content that is inside of the value ---- */

static void print_optional(struct printer *p, const struct subobject *at,
			   const struct content *c)
{
	struct subobject inner = {.type = c->element,
				  .bytes = at->bytes + c->begin,
				  .n = (size_t)type_size(p->types, c->element),
				  .depth = at->depth};

	if (at->bytes[c->length])
		print_value(p, &inner);
	else
		print_remark(p, "<none>");
}

/* A duration is a number of its unit in every text. */
static void print_wrapped(struct printer *p, const struct subobject *at,
			  const struct content *c)
{
	struct subobject inner = {.type = c->element,
				  .bytes = at->bytes + c->begin,
				  .n = (size_t)type_size(p->types, c->element),
				  .depth = at->depth};
	struct printer natural = *p;
	size_t from = p->out->len;

	if (!c->unit) {
		print_value(p, &inner);
		return;
	}
	natural.is_natural = true;
	natural.form = &print_text_form;
	print_value(&natural, &inner);
	strbuf_puts(p->out, c->unit);
	p->form->leaf(p, from, false);
}

static void print_part(struct printer *p, const struct subobject *at,
		       const struct type_member *part)
{
	struct subobject one = {.type = part->type,
				.bytes = at->bytes + part->offset,
				.n = (size_t)type_size(p->types, part->type),
				.depth = at->depth};

	if (part->offset > at->n || one.n > at->n - part->offset)
		print_remark(p, "<outside>");
	else
		print_value(p, &one);
}

static void print_parts(struct printer *p, const struct subobject *at,
			const struct content *c)
{
	struct group g = {.kind = GROUP_TUPLE, .depth = at->depth};
	struct type_member part;

	p->form->begin(p, &g);
	for (uint32_t i = 0;
	     !print_is_full(p) && content_part(p->types, at->type, c, i, &part); i++) {
		p->form->item(p, &g, NULL, NULL);
		print_part(p, at, &part);
		p->form->item_end(p, &g);
	}
	p->form->end(p, &g);
}

static void print_alternative(struct printer *p, const struct subobject *at,
			      const struct content *c)
{
	struct subobject index = {.bytes = at->bytes + c->begin};
	uint64_t i = print_number_at(&index, (size_t)c->length);
	uint64_t none =
		c->length >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * c->length) - 1;
	struct type_member part;

	if (i == none)
		print_remark(p, "<valueless>");
	else if (i < c->nparts &&
		 content_part(p->types, at->type, c, (uint32_t)i, &part))
		print_part(p, at, &part);
	else
		print_remark(p, "<no alternative has the index %llu>",
			     (unsigned long long)i);
}

/* The highest bit first, as std::bitset writes itself. */
static void print_bitset(struct printer *p, const struct subobject *at,
			 const struct content *c)
{
	size_t from = p->out->len;

	strbuf_puts(p->out, "0b");
	for (uint64_t i = c->length; i-- > 0;)
		strbuf_putc(p->out,
			    (char)('0' + (at->bytes[c->begin + i / 8] >> i % 8 & 1)));
	p->form->leaf(p, from, false);
}

static void print_inside(struct printer *p, const struct subobject *at,
			 const struct content *c)
{
	switch (c->kind) {
	case CONTENT_OPTIONAL:
		print_optional(p, at, c);
		break;
	case CONTENT_WRAPPED:
		print_wrapped(p, at, c);
		break;
	case CONTENT_PARTS:
		print_parts(p, at, c);
		break;
	case CONTENT_VARIANT:
		print_alternative(p, at, c);
		break;
	default:
		print_bitset(p, at, c);
	}
}

bool print_content(struct printer *p, const struct subobject *at)
{
	struct content c;
	struct piece piece;

	if (!p->plan->is_wanted || !type_is_struct_or_union(at->type) ||
	    at->depth >= TYPE_NESTING_MAX)
		return false;
	if (find_piece(p, at, &piece)) {
		print_piece(p, at, &piece);
		return true;
	}
	if (!content_find(p->types, at->type, &c) || c.kind < CONTENT_OPTIONAL ||
	    at->n < type_size(p->types, at->type))
		return false;
	print_inside(p, at, &c);
	return true;
}

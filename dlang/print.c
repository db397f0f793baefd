/* SPDX-License-Identifier: MIT */
/*
 * print(): a recorded value as text, by its D type. The bytes are not trusted, nor are
 * members and offsets of types of the target: nothing outside the bytes is read, and
 * the depth and length of the text are bounded.
 */
#include <ctype.h>
#include <string.h>

#include "dlang/base/content.h"
#include "dlang/check/check.h"
#include "dlang/gen/image.h"

#define INDENT	  4
#define WHOLE_MAX (UINT64_C(1) << 47) /* bytes that a process can have */

struct printer {
	struct types *types;
	const struct dlang_value *value;
	const struct content_plan *plan;
	struct strbuf *out;
};

/* A sub-object of the value, and how deep in structs it is. */
struct subobject {
	const struct type *type;
	const unsigned char *bytes;
	size_t n;
	uint32_t depth;
};

static void print_value(struct printer *p, const struct subobject *at);

static uint64_t load(const struct subobject *at, size_t size)
{
	uint64_t v = 0;

	memcpy(&v, at->bytes, size < sizeof(v) ? size : sizeof(v));
	return v;
}

/* Whether the text has reached its limit, where it is cut in the end. */
static bool is_full(const struct printer *p)
{
	return p->out->len > p->value->limit;
}

/* ---- scalars ---- */

static bool is_char(const struct type *t)
{
	t = type_resolve(t);
	return t->kind == TYPE_INT && t->size == 1 && t->is_signed;
}

static void print_char(struct printer *p, unsigned char c)
{
	if (c == '\0')
		strbuf_puts(p->out, "'\\0'");
	else if (isprint(c))
		strbuf_printf(p->out, "'%c'", c);
	else
		strbuf_printf(p->out, "'\\%03o'", c);
}

static void print_float(struct printer *p, const struct subobject *at)
{
	long double wide;
	double d;
	float f;

	if (at->n >= 16) {
		memcpy(&wide, at->bytes, sizeof(wide));
		strbuf_printf(p->out, "%+.16LE", wide);
	} else if (at->n >= 8) {
		memcpy(&d, at->bytes, sizeof(d));
		strbuf_printf(p->out, "%+.7e", d);
	} else {
		memcpy(&f, at->bytes, sizeof(f));
		strbuf_printf(p->out, "%+.7e", (double)f);
	}
}

static void print_enum(struct printer *p, const struct subobject *at)
{
	unsigned shift = at->n < 8 ? 64 - 8 * (unsigned)at->n : 0;
	uint64_t raw = at->n ? load(at, at->n) << shift : 0;
	int64_t v =
		at->type->is_signed ? (int64_t)raw >> shift : (int64_t)(raw >> shift);

	for (const struct type_member *m = at->type->members; m; m = m->next) {
		if (m->value == v) {
			strbuf_puts(p->out, m->name);
			return;
		}
	}
	strbuf_printf(p->out, "%lld", (long long)v);
}

static void print_pointer(struct printer *p, const struct subobject *at)
{
	const struct dlang_value *v = p->value;
	uint64_t address = load(at, at->n);

	if (type_resolve(at->type->base)->kind == TYPE_FUNC && v->symbol &&
	    v->symbol(v->ctx, address, p->out))
		return;
	strbuf_printf(p->out, "%#llx", (unsigned long long)address);
}

/* ---- text ---- */

/* Whether all bytes up to the NUL, or the end, are printable; len is their number. */
static bool is_text(const struct subobject *at, size_t *len)
{
	size_t i = 0;

	while (i < at->n && isprint(at->bytes[i]))
		i++;
	*len = i;
	return i == at->n || at->bytes[i] == '\0';
}

static void print_string(struct printer *p, const struct subobject *at)
{
	strbuf_putc(p->out, '"');
	for (size_t i = 0; i < at->n && at->bytes[i]; i++) {
		if (isprint(at->bytes[i]))
			strbuf_putc(p->out, (char)at->bytes[i]);
		else
			strbuf_printf(p->out, "\\%03o", at->bytes[i]);
	}
	strbuf_putc(p->out, '"');
}

/* ---- arrays ---- */

static void indent(struct printer *p, uint32_t depth)
{
	strbuf_pad(p->out, ' ', (size_t)depth * INDENT);
}

/* Of an anonymous type only the kind is printed; whose memory it is of, is not. */
static void print_type_name(struct printer *p, const struct type *t)
{
	static const char userland[] = "userland ";
	const char *anonymous = strstr(t->name, " <"), *name = t->name;

	if (p->plan->is_wanted) {
		content_type_name(t, p->out);
		return;
	}
	if (strncmp(name, userland, strlen(userland)) == 0)
		name += strlen(userland);
	strbuf_add(p->out, name, anonymous ? (size_t)(anonymous - name) : strlen(name));
}

/* Each element begins a line and has its type. */
static void print_struct_elements(struct printer *p, const struct subobject *at,
				  size_t size)
{
	strbuf_puts(p->out, "[ \n");
	for (size_t i = 0; i < at->n / size && !is_full(p); i++) {
		struct subobject one = {at->type->base, at->bytes + i * size, size,
					at->depth + 1};

		indent(p, one.depth);
		print_type_name(p, one.type);
		strbuf_putc(p->out, ' ');
		print_value(p, &one);
		strbuf_puts(p->out, i + 1 < at->n / size ? ", \n" : "\n");
	}
	indent(p, at->depth);
	strbuf_putc(p->out, ']');
}

static void print_elements(struct printer *p, const struct subobject *at, size_t size)
{
	strbuf_puts(p->out, "[ ");
	for (size_t i = 0; i < at->n / size && !is_full(p); i++) {
		struct subobject one = {at->type->base, at->bytes + i * size, size,
					at->depth};

		if (i)
			strbuf_puts(p->out, ", ");
		print_value(p, &one);
	}
	strbuf_puts(p->out, " ]");
}

static void print_array(struct printer *p, const struct subobject *at)
{
	size_t size = (size_t)type_size(p->types, at->type->base), len;

	if (is_char(at->type->base) && is_text(at, &len)) {
		strbuf_printf(p->out, "[ \"%.*s\" ]", (int)len, (char *)at->bytes);
		return;
	}
	if (size == 0 || at->n < size)
		strbuf_puts(p->out, "[ ]");
	else if (type_is_struct_or_union(at->type->base))
		print_struct_elements(p, at, size);
	else
		print_elements(p, at, size);
}

/* ---- structs ---- */

static void print_bits(struct printer *p, const struct type_member *m,
		       const struct subobject *at)
{
	uint64_t unit = load(at, at->n), mask = (UINT64_C(1) << m->nbits) - 1;

	if (m->nbits >= 64)
		mask = UINT64_MAX;
	strbuf_printf(p->out, "%#llx", (unsigned long long)(unit >> m->bit & mask));
}

/* "TYPE NAME = "; no blank follows the star of a pointer. */
static void print_member_name(struct printer *p, const struct type_member *m)
{
	size_t n;

	print_type_name(p, m->type);
	n = p->out->len;
	if (m->name[0] && (n == 0 || p->out->data[n - 1] != '*'))
		strbuf_putc(p->out, ' ');
	strbuf_puts(p->out, m->name);
	if (m->nbits)
		strbuf_printf(p->out, " :%u", m->nbits);
	strbuf_puts(p->out, m->name[0] ? " = " : " ");
}

static void print_member(struct printer *p, const struct subobject *at,
			 const struct type_member *m)
{
	uint64_t size = type_size(p->types, m->type);
	struct subobject one = {m->type, at->bytes + m->offset, (size_t)size,
				at->depth + 1};

	if (m->nbits && !m->name[0]) /* padding */
		return;
	indent(p, one.depth);
	print_member_name(p, m);
	if (m->offset > at->n || size > at->n - m->offset)
		strbuf_puts(p->out, "<outside>");
	else if (m->nbits)
		print_bits(p, m, &one);
	else
		print_value(p, &one);
	strbuf_putc(p->out, '\n');
}

static void print_sou(struct printer *p, const struct subobject *at)
{
	if (!type_complete(p->types, at->type)) {
		strbuf_puts(p->out, "<forward decl>");
		return;
	}
	if (at->depth >= TYPE_NESTING_MAX) {
		strbuf_puts(p->out, "{ ... }");
		return;
	}
	strbuf_puts(p->out, "{\n");
	for (const struct type_member *m = at->type->members; m && !is_full(p);
	     m = m->next)
		print_member(p, at, m);
	indent(p, at->depth);
	strbuf_putc(p->out, '}');
}

/* ---- content ---- */

/* The content of a value that its record has. */
struct piece {
	const struct content *content;
	const unsigned char *bytes;
	uint64_t n;	/* bytes read */
	uint64_t whole; /* bytes that there are */
};

static uint64_t word_at(const struct subobject *at, uint64_t offset)
{
	uint64_t v = 0;

	if (at->n >= 8 && offset <= at->n - 8)
		memcpy(&v, at->bytes + offset, 8);
	return v;
}

static uint64_t whole_size(struct printer *p, const struct subobject *at,
			   const struct content *c)
{
	uint64_t size = type_size(p->types, c->element), n;

	if (c->kind == CONTENT_POINTEE)
		return word_at(at, c->begin) ? size : 0;
	n = word_at(at, c->length);
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

/* Finds the piece that was read for a value of this type at this place. */
static bool find_piece(struct printer *p, const struct subobject *at, struct piece *out)
{
	for (uint32_t i = 0; p->value->pieces && i < p->plan->n; i++) {
		const struct content_piece *piece = &p->plan->pieces[i];

		if (start_of(p, piece->owner) + piece->offset != at->bytes ||
		    piece->type != at->type)
			continue;
		*out = (struct piece){.content = &piece->content,
				      .bytes = start_of(p, i + 1) + 8,
				      .whole = whole_size(p, at, &piece->content)};
		memcpy(&out->n, out->bytes - 8, 8);
		out->n = min_u64(min_u64(out->n, piece->cap), out->whole);
		return true;
	}
	return false;
}

static void print_text(struct printer *p, const struct piece *piece)
{
	strbuf_putc(p->out, '"');
	for (uint64_t i = 0; i < piece->n && !is_full(p); i++) {
		unsigned char c = piece->bytes[i];

		if (c == '"' || c == '\\')
			strbuf_printf(p->out, "\\%c", c);
		else if (isprint(c))
			strbuf_putc(p->out, (char)c);
		else
			strbuf_printf(p->out, "\\%03o", c);
	}
	strbuf_puts(p->out, piece->n < piece->whole ? "\"..." : "\"");
}

/* Elements that are structs begin a line each. */
static void print_all(struct printer *p, const struct piece *piece, uint32_t depth)
{
	uint64_t size = type_size(p->types, piece->content->element);
	uint64_t n = piece->n / size, whole = piece->whole / size;
	bool is_struct = type_is_struct_or_union(piece->content->element);

	strbuf_puts(p->out, is_struct ? "[\n" : "[ ");
	for (uint64_t i = 0; i < n && !is_full(p); i++) {
		struct subobject one = {piece->content->element,
					piece->bytes + i * size, size, depth + 1};

		if (is_struct)
			indent(p, depth + 1);
		print_value(p, &one);
		strbuf_puts(p->out, i + 1 < whole ? "," : "");
		strbuf_puts(p->out, is_struct ? "\n" : " ");
	}
	if (n < whole) {
		if (is_struct)
			indent(p, depth + 1);
		strbuf_printf(p->out, "... %llu more", (unsigned long long)(whole - n));
		strbuf_puts(p->out, is_struct ? "\n" : " ");
	}
	if (is_struct)
		indent(p, depth);
	strbuf_putc(p->out, ']');
}

static void print_pointee(struct printer *p, const struct subobject *at,
			  const struct piece *piece)
{
	struct subobject one = {piece->content->element, piece->bytes, (size_t)piece->n,
				at->depth};

	strbuf_printf(p->out, "%#llx -> ",
		      (unsigned long long)word_at(at, piece->content->begin));
	print_value(p, &one);
}

/* What a value of such a type has; piece->whole is not 0. */
static void print_piece(struct printer *p, const struct subobject *at,
			const struct piece *piece)
{
	if (piece->whole > WHOLE_MAX)
		strbuf_printf(p->out, "<%llu bytes: not possible>",
			      (unsigned long long)piece->whole);
	else if (!piece->n)
		strbuf_printf(p->out, "<%llu bytes at %#llx cannot be read>",
			      (unsigned long long)piece->whole,
			      (unsigned long long)word_at(at, piece->content->begin));
	else if (piece->content->kind == CONTENT_TEXT)
		print_text(p, piece);
	else if (piece->content->kind == CONTENT_ELEMENTS)
		print_all(p, piece, at->depth);
	else
		print_pointee(p, at, piece);
}

static void print_nothing(struct printer *p, enum content_kind kind)
{
	static const char *const nothing[] = {[CONTENT_TEXT] = "\"\"",
					      [CONTENT_ELEMENTS] = "[ ]",
					      [CONTENT_POINTEE] = "NULL"};

	strbuf_puts(p->out, nothing[kind]);
}

static void print_optional(struct printer *p, const struct subobject *at,
			   const struct content *c)
{
	struct subobject inner = {c->element, at->bytes + c->begin,
				  (size_t)type_size(p->types, c->element), at->depth};

	if (at->bytes[c->length])
		print_value(p, &inner);
	else
		strbuf_puts(p->out, "<none>");
}

/* Prints a value by its content; false: its record has none. */
static bool print_content(struct printer *p, const struct subobject *at)
{
	struct content c;
	struct piece piece;

	if (!p->plan->is_wanted || !type_is_struct_or_union(at->type) ||
	    at->depth >= TYPE_NESTING_MAX)
		return false;
	if (find_piece(p, at, &piece)) {
		if (piece.whole)
			print_piece(p, at, &piece);
		else
			print_nothing(p, piece.content->kind);
		return true;
	}
	if (!content_find(p->types, at->type, &c) || c.kind != CONTENT_OPTIONAL ||
	    at->n < type_size(p->types, at->type))
		return false;
	print_optional(p, at, &c);
	return true;
}

/* ---- any ---- */

static void print_value(struct printer *p, const struct subobject *given)
{
	struct subobject at = *given;

	at.type = type_resolve(at.type);
	if (print_content(p, &at))
		return;
	switch (at.type->kind) {
	case TYPE_STRUCT:
	case TYPE_UNION:
		print_sou(p, &at);
		break;
	case TYPE_ENUM:
		print_enum(p, &at);
		break;
	case TYPE_ARRAY:
		print_array(p, &at);
		break;
	case TYPE_STRING:
		print_string(p, &at);
		break;
	case TYPE_FLOAT:
		print_float(p, &at);
		break;
	case TYPE_POINTER:
		print_pointer(p, &at);
		break;
	default:
		if (is_char(at.type))
			print_char(p, at.bytes[0]);
		else
			strbuf_printf(p->out, "%#llx",
				      (unsigned long long)load(&at, at.n));
	}
}

/* A char array that is the whole value is printed as a string. */
static void print_top(struct printer *p, const struct subobject *at)
{
	const struct type *t = type_resolve(at->type);
	size_t len;

	print_type_name(p, at->type);
	strbuf_putc(p->out, ' ');
	if (t->kind == TYPE_ARRAY && is_char(t->base) && is_text(at, &len))
		print_string(p, at);
	else
		print_value(p, at);
}

void dlang_print(struct dlang *d, uint32_t action, const struct dlang_value *v,
		 struct strbuf *out)
{
	struct printer p = {.types = types_of(d), .value = v, .out = out};
	uint64_t plan;
	struct subobject at = {.bytes = v->bytes, .n = v->n};

	strbuf_reset(out);
	if (!map_get(&d->image->printed, action, &plan))
		return;
	p.plan = (const struct content_plan *)(uintptr_t)plan;
	at.type = p.plan->type;
	print_top(&p, &at);
	if (is_full(&p)) {
		strbuf_cut(out, v->limit);
		strbuf_puts(out, "...");
	}
	/* Nothing follows the last brace of a struct, as in DTrace. */
	if (p.plan->is_wanted || !type_is_struct_or_union(at.type) ||
	    out->data[out->len - 1] != '}')
		strbuf_putc(out, '\n');
}

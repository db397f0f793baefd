/* SPDX-License-Identifier: MIT */
/*
 * print(): a recorded value as text, by its D type. The bytes are not trusted, nor are
 * members and offsets of types of the target: nothing outside the bytes is read, and
 * the depth and length of the text are bounded.
 */
#include "dlang/print.h"

#include <ctype.h>
#include <stdarg.h>
#include <string.h>

#include "dlang/check/check.h"
#include "dlang/gen/image.h"

static const char anonymous[] = " <anonymous>";

void print_remark(struct printer *p, const char *fmt, ...)
{
	size_t from = p->out->len;
	va_list ap;

	va_start(ap, fmt);
	strbuf_vprintf(p->out, fmt, ap);
	va_end(ap);
	p->form->leaf(p, from, false);
}

/* Of an anonymous type only the kind is printed; whose memory it is of, is not. */
void print_type_name(struct printer *p, const struct type *t)
{
	static const char userland[] = "userland ";
	const char *name = t->name, *cut = strstr(name, anonymous);

	if (p->plan->is_wanted) {
		content_type_name(t, p->out);
		return;
	}
	if (strncmp(name, userland, strlen(userland)) == 0)
		name += strlen(userland);
	if (cut) {
		strbuf_add(p->out, name, (size_t)(cut - name));
		name = cut + sizeof(anonymous) - 1;
	}
	strbuf_puts(p->out, name);
}

/* ---- arrays ---- */

/* Whether all bytes up to the NUL, or the end, are printable; len is their number. */
static bool is_text(const struct subobject *at, size_t *len)
{
	size_t i = 0;

	while (i < at->n && isprint(at->bytes[i]))
		i++;
	*len = i;
	return i == at->n || at->bytes[i] == '\0';
}

static void print_chars(struct printer *p, const struct subobject *at, size_t len)
{
	struct group g = {.kind = GROUP_ARRAY, .depth = at->depth};

	if (p->is_natural) {
		p->form->text(p, at->bytes, len, false);
		return;
	}
	p->form->begin(p, &g);
	p->form->item(p, &g, NULL, at->type->base);
	p->form->text(p, at->bytes, len, false);
	p->form->item_end(p, &g);
	p->form->end(p, &g);
}

static void print_elements(struct printer *p, const struct subobject *at, size_t size)
{
	struct group g = {.kind = GROUP_ARRAY, .depth = at->depth};

	g.is_tall = size && at->n >= size && type_is_struct_or_union(at->type->base);
	p->form->begin(p, &g);
	for (size_t i = 0; size && i < at->n / size && !print_is_full(p); i++) {
		struct subobject one = {.type = at->type->base,
					.bytes = at->bytes + i * size,
					.n = size,
					.depth = at->depth + g.is_tall};

		p->form->item(p, &g, NULL, one.type);
		print_value(p, &one);
		p->form->item_end(p, &g);
	}
	p->form->end(p, &g);
}

static void print_array(struct printer *p, const struct subobject *at)
{
	size_t len;

	if (print_is_char(at->type->base) && is_text(at, &len))
		print_chars(p, at, len);
	else
		print_elements(p, at, (size_t)type_size(p->types, at->type->base));
}

/* ---- structs ---- */

static void print_member_value(struct printer *p, const struct subobject *at,
			       const struct type_member *m, const struct group *g)
{
	uint64_t size = type_size(p->types, m->type);
	struct subobject one = {.type = m->type,
				.bytes = at->bytes + m->offset,
				.n = (size_t)size,
				.depth = at->depth + g->is_tall};

	if (m->offset > at->n || size > at->n - m->offset)
		print_remark(p, "<outside>");
	else if (m->nbits)
		print_bits(p, m, &one);
	else
		print_value(p, &one);
}

/* Prints the members of an anonymous struct as those of the struct around it. */
static bool print_flat(struct printer *p, const struct subobject *at,
		       const struct type_member *m, struct group *g)
{
	struct subobject one = {.type = type_resolve(m->type),
				.bytes = at->bytes + m->offset,
				.n = (size_t)type_size(p->types, m->type),
				.depth = at->depth + 1};

	if (!p->form->flattens || m->name[0] || !strstr(one.type->name, anonymous) ||
	    !type_is_struct_or_union(one.type) || one.depth >= TYPE_NESTING_MAX ||
	    m->offset > at->n || one.n > at->n - m->offset ||
	    !type_complete(p->types, one.type))
		return false;
	print_members(p, &one, g);
	return true;
}

void print_members(struct printer *p, const struct subobject *at, struct group *g)
{
	for (const struct type_member *m = at->type->members; m && !print_is_full(p);
	     m = m->next) {
		if ((m->nbits && !m->name[0]) || /* padding */
		    print_flat(p, at, m, g))
			continue;
		p->form->item(p, g, m, m->type);
		print_member_value(p, at, m, g);
		p->form->item_end(p, g);
	}
}

static void print_group(struct printer *p, const struct subobject *at,
			enum group_kind kind)
{
	struct group g = {.kind = kind, .depth = at->depth};

	g.is_tall = kind == GROUP_MEMBERS;
	p->form->begin(p, &g);
	print_members(p, at, &g);
	p->form->end(p, &g);
}

/* ---- enums of Rust ---- */

/* The variant that is there; NULL: the discriminant is that of none. */
static const struct type_member *find_variant(const struct subobject *at,
					      uint64_t *discriminant)
{
	const struct type_variants *v = at->type->variants;
	const struct type_member *rest = NULL;
	struct subobject number = {.bytes = at->bytes + v->offset, .n = v->size};
	uint64_t mask = v->size >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * v->size) - 1;

	*discriminant = v->size ? print_number_at(&number, v->size) : 0;
	for (const struct type_member *m = v->first; m; m = m->next) {
		if (m->is_rest)
			rest = m;
		else if (v->size && ((uint64_t)m->value & mask) == *discriminant)
			return m;
	}
	return rest;
}

/* What a variant has is called __0, __1 ... if it has no names. */
static bool is_tuple(const struct type *t)
{
	return t->members && strncmp(t->members->name, "__", 2) == 0 &&
	       isdigit((unsigned char)t->members->name[2]);
}

static void print_variant(struct printer *p, const struct subobject *at)
{
	const struct type_variants *v = at->type->variants;
	const struct type_member *m = NULL;
	struct subobject one = {.depth = at->depth};
	uint64_t number = 0;

	if (v->offset <= at->n && v->size <= at->n - v->offset)
		m = find_variant(at, &number);
	if (!m) {
		print_remark(p, "<no variant has the discriminant %llu>",
			     (unsigned long long)number);
		return;
	}
	one.type = type_resolve(m->type);
	one.n = (size_t)type_size(p->types, one.type);
	if (!type_complete(p->types, one.type) || m->offset > at->n ||
	    one.n > at->n - m->offset) {
		print_remark(p, "<outside>");
		return;
	}
	one.bytes = at->bytes + m->offset;
	p->form->variant(p, m->name, one.type->members != NULL);
	if (one.type->members)
		print_group(p, &one, is_tuple(one.type) ? GROUP_TUPLE : GROUP_FIELDS);
	p->form->variant_end(p, one.type->members != NULL);
}

/* ---- any ---- */

static void print_sou(struct printer *p, const struct subobject *at)
{
	static const char tuple[] = "struct (";

	if (!type_complete(p->types, at->type))
		print_remark(p, "<forward decl>");
	else if (at->depth >= TYPE_NESTING_MAX)
		print_remark(p, "{ ... }");
	else if (at->type->variants)
		print_variant(p, at);
	else if ((p->is_natural || p->plan->is_wanted) &&
		 strncmp(at->type->name, tuple, sizeof(tuple) - 1) == 0)
		print_group(p, at, GROUP_TUPLE);
	else
		print_group(p, at, GROUP_MEMBERS);
}

/* Whether bytes are one number, by the typedefs that led to their array. */
static bool is_number(const struct type *named)
{
	while (named->kind == TYPE_ALIAS && !named->is_wide)
		named = named->base;
	return named->is_wide;
}

void print_value(struct printer *p, const struct subobject *given)
{
	struct subobject at = *given;

	at.named = at.type;
	at.type = type_resolve(at.type);
	if (print_content(p, &at))
		return;
	if (type_is_struct_or_union(at.type))
		print_sou(p, &at);
	else if (at.type->kind == TYPE_ARRAY && !is_number(at.named))
		print_array(p, &at);
	else
		print_leaf(p, &at);
}

/* A char array that is the whole value is printed as a string. */
static void print_top(struct printer *p, const struct subobject *at)
{
	const struct type *t = type_resolve(at->type);
	size_t len;

	if (t->kind == TYPE_ARRAY && print_is_char(t->base) && is_text(at, &len))
		p->form->text(p, at->bytes, len, false);
	else
		print_value(p, at);
}

/* {"type":"int","value":-7}, and "cut":true if there is more than the limit. */
static void print_object(struct printer *p, const struct subobject *at)
{
	size_t from;

	strbuf_puts(p->out, "{\"type\":");
	from = p->out->len;
	print_type_name(p, at->type);
	p->form->leaf(p, from, false);
	strbuf_puts(p->out, ",\"value\":");
	print_top(p, at);
	strbuf_puts(p->out, print_is_full(p) ? ",\"cut\":true}" : "}");
}

static void print_text(struct printer *p, const struct subobject *at)
{
	struct strbuf *out = p->out;

	print_type_name(p, at->type);
	strbuf_putc(out, ' ');
	print_top(p, at);
	if (print_is_full(p)) {
		strbuf_cut(out, p->value->limit);
		strbuf_puts(out, "...");
	}
	/* Nothing follows the last brace of a struct, as in DTrace. */
	if (p->plan->is_wanted || !type_is_struct_or_union(at->type) ||
	    type_resolve(at->type)->variants || out->data[out->len - 1] != '}')
		strbuf_putc(out, '\n');
}

void dlang_print(struct dlang *d, uint32_t action, const struct dlang_value *v,
		 struct strbuf *out)
{
	struct printer p = {.types = types_of(d), .value = v, .out = out};
	struct subobject at = {.bytes = v->bytes, .n = v->n};
	uint64_t plan;

	strbuf_reset(out);
	if (!map_get(&d->image->printed, action, &plan))
		return;
	p.plan = (const struct content_plan *)(uintptr_t)plan;
	p.form = v->form == DLANG_PRINT_JSON ? &print_json_form : &print_text_form;
	p.is_natural = v->form != DLANG_PRINT_CLASSIC;
	at.type = p.plan->type;
	if (v->form == DLANG_PRINT_JSON)
		print_object(&p, &at);
	else
		print_text(&p, &at);
}

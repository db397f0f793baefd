/* SPDX-License-Identifier: MIT */
#include "tracer/events/event_format.h"
#include "vm/base/bytes.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

#include <event-parse.h>
#include <string.h>

/* ---- parsing ---- */

/* "unsigned int" of "__data_loc unsigned int[]". */
static char *element_type(const char *type)
{
	static const char *const words[] = {"__data_loc ", "__rel_loc "};
	char *copy;

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (strncmp(type, words[i], strlen(words[i])) == 0)
			type += strlen(words[i]);
	copy = oom_strdup(type);
	copy[strcspn(copy, "[")] = '\0';
	for (size_t n = strlen(copy); n > 0 && copy[n - 1] == ' ';)
		copy[--n] = '\0';
	return copy;
}

/* Of an array of any length: the format has no number for it. */
static uint32_t size_by_name(const char *type)
{
	static const struct {
		const char *part;
		uint32_t size;
	} rows[] = {{"8", 1},	 {"16", 2},    {"32", 4},   {"64", 8},
		    {"char", 1}, {"short", 2}, {"long", 8}, {"int", 4}};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (strstr(type, rows[i].part))
			return rows[i].size;
	return 1;
}

/* 1 for what is no integer. */
static uint32_t element_size(const struct tep_format_field *t)
{
	uint32_t size =
		t->flags & TEP_FIELD_IS_ARRAY ? t->elementsize : (uint32_t)t->size;

	if (t->flags & TEP_FIELD_IS_DYNAMIC)
		size = size_by_name(t->type);
	return size == 2 || size == 4 || size == 8 ? size : 1;
}

static bool is_text(const struct tep_format_field *t)
{
	return t->flags & TEP_FIELD_IS_STRING;
}

static void place(struct event_format *f, struct event_field *field, uint32_t strsize)
{
	field->room = field->is_array ? field->size : field->element;
	if (field->is_dynamic)
		field->room =
			field->is_text ? strsize : EVENT_ARRAY_MAX * field->element;
	field->to = (uint32_t)align_up(f->size, field->element);
	f->size = field->to + field->room;
}

static void add_fields(struct event_format *f, const struct tep_format_field *t,
		       bool is_common, uint32_t strsize)
{
	for (; t; t = t->next) {
		struct event_field field = {
			.name = oom_strdup(t->name),
			.type = element_type(t->type),
			.from = (uint32_t)t->offset,
			.size = (uint32_t)t->size,
			.element = is_text(t) ? 1 : element_size(t),
			.is_array = t->flags & TEP_FIELD_IS_ARRAY || is_text(t),
			.is_signed = t->flags & TEP_FIELD_IS_SIGNED,
			.is_pointer = t->flags & TEP_FIELD_IS_POINTER &&
				      !(t->flags & TEP_FIELD_IS_ARRAY),
			.is_text = is_text(t),
			.is_dynamic = t->flags & TEP_FIELD_IS_DYNAMIC,
			.is_relative = t->flags & TEP_FIELD_IS_RELATIVE,
			.is_common = is_common,
		};

		/* a struct by value: its bytes */
		field.is_array |= field.element == 1 && field.size > 1;
		place(f, &field, strsize);
		*vec_push(&f->fields) = field;
	}
}

int event_format_parse(const char *text, size_t n, uint32_t strsize,
		       struct event_format **out, struct err *e)
{
	struct tep_handle *tep = tep_alloc();
	struct tep_event *event = NULL;
	struct event_format *f;

	*out = NULL;
	tep_set_loglevel(TEP_LOG_NONE);
	if (tep)
		tep_parse_format(tep, &event, text, n, "events");
	if (!event || event->format.nr_common == 0) {
		tep_free(tep);
		return err_set(e, STATUS_BADFMT,
			       "the format of the event is not known");
	}
	f = oom_calloc(1, sizeof(*f));
	f->id = (uint32_t)event->id;
	add_fields(f, event->format.common_fields, true, strsize);
	add_fields(f, event->format.fields, false, strsize);
	f->size = (uint32_t)align_up(f->size, 8);
	*out = f;
	tep_free(tep);
	return 0;
}

void event_format_free(struct event_format *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->fields.len; i++) {
		free(f->fields.data[i].name);
		free(f->fields.data[i].type);
	}
	vec_release(&f->fields);
	free(f);
}

/* ---- the type ---- */

static const struct type *integer(struct types *ts, uint32_t size, bool is_signed)
{
	static const char *const names[2][4] = {
		{"unsigned char", "unsigned short", "unsigned int", "unsigned long"},
		{"char", "short", "int", "long"},
	};
	int row = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3;

	return type_find(ts, names[is_signed][row]);
}

/*
 * The type that the format names, if it is one of D and fits. An argument of a system
 * call has 8 bytes, whatever its type is.
 */
static const struct type *element_of(struct types *ts, const struct event_field *field)
{
	const struct type *t = NULL;

	if (field->is_text)
		return ts->t_char;
	if (!field->is_array)
		t = type_parse(ts, field->type, strlen(field->type));
	if (t && type_is_pointer(t))
		return type_userland(ts, t);
	if (t && type_is_int(t) && type_size(ts, t) <= field->element)
		return t;
	return integer(ts, field->element, field->is_signed);
}

const struct type *event_format_type(const struct event_format *f, struct types *ts,
				     const char *name)
{
	const struct type *known = type_find(ts, name);
	struct type *t;

	if (known)
		return known;
	t = type_tagged(ts, TYPE_STRUCT, name, true);
	for (size_t i = 0; i < f->fields.len; i++) {
		const struct event_field *field = &f->fields.data[i];
		const struct type *element = element_of(ts, field);
		struct type_member m = {
			.name = field->name, .type = element, .offset = field->to};

		if (field->is_array)
			m.type = type_array(ts, element, field->room / field->element);
		type_add_member(ts, t, &m);
	}
	t->size = f->size;
	t->align = 8;
	t->is_complete = true;
	return t;
}

/* ---- events ---- */

/* Where the bytes of a field are in an event of n bytes, and how many. */
static uint32_t find_bytes(const struct event_field *field, const unsigned char *bytes,
			   size_t n, uint32_t *size)
{
	uint64_t word, at = field->from, len = field->size;

	if (field->is_dynamic) {
		word = at + 4 <= n ? bytes_load(bytes + at, 4) : 0;
		at = (word & 0xffff) + (field->is_relative ? at + 4 : 0);
		len = word >> 16;
	}
	*size = at < n ? (uint32_t)min_u64(len, n - at) : 0;
	return at < n ? (uint32_t)at : 0;
}

const unsigned char *event_field_bytes(const struct event_field *field,
				       const unsigned char *bytes, size_t n,
				       uint32_t *size)
{
	return bytes + find_bytes(field, bytes, n, size);
}

void event_format_convert(const struct event_format *f, const unsigned char *bytes,
			  size_t n, unsigned char *to)
{
	memset(to, 0, f->size);
	for (size_t i = 0; i < f->fields.len; i++) {
		const struct event_field *field = &f->fields.data[i];
		uint32_t size, at = find_bytes(field, bytes, n, &size);
		uint32_t room = field->room - (field->is_text && field->is_dynamic);

		memcpy(to + field->to, bytes + at, min_u64(size, room));
	}
}

static uint64_t extend_sign(uint64_t value, uint32_t size)
{
	unsigned unused = 64 - 8 * size;

	return (uint64_t)((int64_t)(value << unused) >> unused);
}

const struct event_field *event_format_field(const struct event_format *f, uint32_t i)
{
	for (size_t k = 0; k < f->fields.len; k++)
		if (!f->fields.data[k].is_common && i-- == 0)
			return &f->fields.data[k];
	return NULL;
}

const struct event_field *event_format_find(const struct event_format *f,
					    const char *name)
{
	for (size_t k = 0; k < f->fields.len; k++)
		if (strcmp(f->fields.data[k].name, name) == 0)
			return &f->fields.data[k];
	return NULL;
}

uint64_t event_field_value(const struct event_field *field, uint32_t element,
			   const unsigned char *bytes, size_t n)
{
	uint32_t size, at = find_bytes(field, bytes, n, &size);
	uint64_t value;

	if ((uint64_t)(element + UINT64_C(1)) * field->element > size)
		return 0;
	value = bytes_load(bytes + at + element * field->element, field->element);
	return field->is_signed ? extend_sign(value, field->element) : value;
}

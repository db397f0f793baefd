/* SPDX-License-Identifier: MIT */
/*
 * What a tracepoint carries: the fields of its format (by libtraceevent), as a struct of
 * D. args[0] is the address of such a struct, made of each event's bytes.
 *
 * The struct has the fields in their order, aligned as in C. A text whose length differs
 * from event to event is an array of strsize bytes, another array of this kind one of
 * EVENT_ARRAY_MAX elements; what is beyond is cut off, the rest is zero.
 */
#ifndef TRACER_EVENTS_EVENT_FORMAT_H
#define TRACER_EVENTS_EVENT_FORMAT_H

#include "dlang/type.h"
#include "vm/base/host/err.h"

#define EVENT_ARRAY_MAX 64

/* One field. Bytes of the event and of the struct. */
struct event_field {
	char *name;
	char *type;	   /* of an element, as the format says: "unsigned int" */
	uint32_t from;	   /* where it is in the event */
	uint32_t size;	   /* there */
	uint32_t to, room; /* in the struct */
	uint32_t element;  /* bytes of an element; a single value is one */
	bool is_array, is_signed, is_pointer, is_text;
	bool is_dynamic;  /* at from is a word: offset | size << 16 */
	bool is_relative; /* the offset counts from the end of that word */
	bool is_common;	  /* all events have it */
};

struct event_format {
	uint32_t id; /* what common_type, its first two bytes, is */
	struct {
		struct event_field *data;
		size_t len, cap;
	} fields;      /* common ones first */
	uint32_t size; /* of the struct */
};

/*
 * Parses the text of a format file. strsize: the bytes of a text. BADFMT. The caller
 * frees *out with event_format_free().
 */
int event_format_parse(const char *text, size_t n, uint32_t strsize,
		       struct event_format **out, struct err *e);
void event_format_free(struct event_format *f);

/* The struct's type, called name; made in ts, once. */
const struct type *event_format_type(const struct event_format *f, struct types *ts,
				     const char *name);

/*
 * Makes the struct of an event of n bytes, in f->size bytes at to. What the event is too
 * short for is zero.
 */
void event_format_convert(const struct event_format *f, const unsigned char *bytes,
			  size_t n, unsigned char *to);

/* The field that is number i of those that are not common; NULL: there is none. */
const struct event_field *event_format_field(const struct event_format *f, uint32_t i);
/* The field called name; NULL: there is none. */
const struct event_field *event_format_find(const struct event_format *f,
					    const char *name);
/* The bytes of the field, *size of them; what the event is too short for is left out. */
const unsigned char *event_field_bytes(const struct event_field *field,
				       const unsigned char *bytes, size_t n,
				       uint32_t *size);
/* The value of an element of the field; what the event is too short for is 0. */
uint64_t event_field_value(const struct event_field *field, uint32_t element,
			   const unsigned char *bytes, size_t n);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Builds the message in memory: everything that it points to is in one arena, but for the
 * arrays of the message itself, which grow.
 */
#include "tracer/pictures/profile.h"
#include "symbols/symbols.h"
#include "tracer/base/text.h"
#include "vm/base/host/arena.h"
#include "vm/base/host/map.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

#include <inttypes.h>
#include <profile.pb-c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define GZIP 16 /* added to the window of zlib: with the header of gzip */

/* The element types of the arrays of a message, and their initial values. */
typedef Pprof__ValueType value_type;
typedef Pprof__Sample sample;
typedef Pprof__Mapping mapping;
typedef Pprof__Location location;
typedef Pprof__Function function;
typedef Pprof__Line line;
typedef Pprof__Label label;

struct profile {
	struct arena memory;
	size_t nvalues;
	value_type **types; /* nvalues */
	struct {
		sample **data;
		size_t len, cap;
	} samples;
	struct {
		mapping **data;
		size_t len, cap;
	} mappings;
	struct {
		location **data;
		size_t len, cap;
	} locations;
	struct {
		function **data;
		size_t len, cap;
	} functions;
	struct {
		char **data;
		size_t len, cap;
	} strings;
	size_t exe;		   /* index of the program's mapping + 1; 0: none */
	struct strmap by_text;	   /* -> index of the string */
	struct strmap by_function; /* name and file -> id */
	struct strmap by_place;	   /* object and address -> id of the location */
	struct map by_object;	   /* struct module * -> id of the mapping */
	uint64_t nframes, ntext;   /* of all stacks */
	uint64_t nleft_out;
	/* The stack that is being added. */
	struct {
		uint64_t *data; /* ids of locations */
		size_t len, cap;
	} frames;
	struct {
		label **data;
		size_t len, cap;
	} labels;
	struct {
		struct place {
			uint64_t function;
			uint64_t line;
		} * data;
		size_t len, cap;
	} lines; /* of the frame, and of functions that were inlined there */
	struct strbuf text;
};

struct profile *profile_new(size_t nvalues)
{
	struct profile *p = oom_calloc(1, sizeof(*p));

	p->nvalues = nvalues;
	p->types = arena_alloc(&p->memory, nvalues * sizeof(*p->types));
	strmap_set(&p->by_text, "", 0);
	*vec_push(&p->strings) = arena_strdup(&p->memory, "");
	return p;
}

void profile_free(struct profile *p)
{
	if (!p)
		return;
	vec_release(&p->samples);
	vec_release(&p->mappings);
	vec_release(&p->locations);
	vec_release(&p->functions);
	vec_release(&p->strings);
	vec_release(&p->frames);
	vec_release(&p->labels);
	vec_release(&p->lines);
	strmap_release(&p->by_text);
	strmap_release(&p->by_function);
	strmap_release(&p->by_place);
	map_release(&p->by_object);
	strbuf_release(&p->text);
	arena_release(&p->memory);
	free(p);
}

/* ---- text ---- */

/* The index of the text in p->text. */
static int64_t string_of(struct profile *p)
{
	uint64_t i;

	if (strmap_get(&p->by_text, p->text.data, &i))
		return (int64_t)i;
	i = p->strings.len;
	strmap_set(&p->by_text, p->text.data, i);
	*vec_push(&p->strings) = arena_strndup(&p->memory, p->text.data, p->text.len);
	p->ntext += p->text.len;
	return (int64_t)i;
}

/* The same of any bytes, which become valid UTF-8. */
static int64_t text_of(struct profile *p, const char *s, size_t n)
{
	size_t keep = n < PROFILE_NAME ? n : PROFILE_NAME;

	while (keep < n && keep && ((unsigned char)s[keep] & 0xc0) == 0x80)
		keep--;
	strbuf_reset(&p->text);
	strbuf_puts(&p->text, "");
	text_add_clean(&p->text, s, keep);
	strbuf_puts(&p->text, keep < n ? "..." : "");
	return string_of(p);
}

static int64_t name_of(struct profile *p, const char *s)
{
	return text_of(p, s ? s : "", s ? strlen(s) : 0);
}

void profile_value_type(struct profile *p, size_t i, const char *type, const char *unit)
{
	value_type *t = arena_alloc(&p->memory, sizeof(*t));

	pprof__value_type__init(t);
	t->type = name_of(p, type);
	t->unit = name_of(p, unit);
	p->types[i] = t;
}

/* ---- what is known of addresses ---- */

static uint64_t mapping_of(struct profile *p, const struct module *m)
{
	uint64_t id;
	mapping *x;

	if (!m)
		return 0;
	if (map_get(&p->by_object, (uintptr_t)m, &id))
		return id;
	x = arena_alloc(&p->memory, sizeof(*x));
	pprof__mapping__init(x);
	*vec_push(&p->mappings) = x;
	x->id = p->mappings.len;
	x->memory_start = m->lo.v;
	x->memory_limit = m->hi.v;
	x->filename = name_of(p, m->path ? m->path : m->name);
	strbuf_reset(&p->text);
	strbuf_puts(&p->text, "");
	text_add_hex(&p->text, (const char *)m->build_id, m->build_id_size);
	x->build_id = string_of(p);
	x->has_functions = true;
	if (m->is_exe && !p->exe)
		p->exe = p->mappings.len;
	map_set(&p->by_object, (uintptr_t)m, x->id);
	return x->id;
}

static uint64_t function_of(struct profile *p, const char *name, const char *file)
{
	int64_t name_text = name_of(p, name), file_text = name_of(p, file);
	uint64_t id;
	function *x;

	strbuf_reset(&p->text);
	strbuf_printf(&p->text, "%" PRId64 " %" PRId64, name_text, file_text);
	if (strmap_get(&p->by_function, p->text.data, &id))
		return id;
	x = arena_alloc(&p->memory, sizeof(*x));
	pprof__function__init(x);
	*vec_push(&p->functions) = x;
	x->id = p->functions.len;
	x->name = x->system_name = name_text;
	x->filename = file_text;
	strmap_set(&p->by_function, p->text.data, x->id);
	return x->id;
}

/* The lines of a location. */
static void set_lines(struct profile *p, location *to)
{
	to->n_line = p->lines.len;
	to->line = arena_alloc(&p->memory, p->lines.len * sizeof(*to->line));
	for (size_t i = 0; i < p->lines.len; i++) {
		to->line[i] = arena_alloc(&p->memory, sizeof(line));
		pprof__line__init(to->line[i]);
		to->line[i]->function_id = p->lines.data[i].function;
		to->line[i]->line = (int64_t)p->lines.data[i].line;
	}
}

static uint64_t new_location(struct profile *p, const struct ustack_frame *f)
{
	location *x = arena_alloc(&p->memory, sizeof(*x));

	pprof__location__init(x);
	x->mapping_id = mapping_of(p, f->object);
	/* a caller is where its call is, as its line is */
	x->address = f->is_python ? 0 : f->address - f->is_return;
	set_lines(p, x);
	*vec_push(&p->locations) = x;
	x->id = p->locations.len;
	return x->id;
}

static bool is_full(const struct profile *p)
{
	return p->nframes + p->frames.len >= PROFILE_FRAMES || p->ntext >= PROFILE_TEXT;
}

void profile_add_frame(struct profile *p, const struct ustack_frame *f)
{
	char key[64];
	uint64_t id;

	if (is_full(p))
		return;
	if (f->function)
		*vec_push(&p->lines) =
			(struct place){function_of(p, f->function, f->file), f->line};
	if (f->is_inlined)
		return;
	snprintf(key, sizeof(key), "%p %" PRIx64 " %d", (const void *)f->object,
		 f->address, f->is_return);
	if (!strmap_get(&p->by_place, key, &id)) {
		id = new_location(p, f);
		strmap_set(&p->by_place, key, id);
	}
	*vec_push(&p->frames) = id;
	p->lines.len = 0;
}

/* ---- stacks ---- */

static label *new_label(struct profile *p, const char *key)
{
	label *x = arena_alloc(&p->memory, sizeof(*x));

	pprof__label__init(x);
	x->key = name_of(p, key);
	*vec_push(&p->labels) = x;
	return x;
}

void profile_add_label(struct profile *p, const char *key, const char *text, size_t n)
{
	if (!is_full(p))
		new_label(p, key)->str = text_of(p, text, n);
}

void profile_add_number(struct profile *p, const char *key, int64_t number)
{
	if (!is_full(p))
		new_label(p, key)->num = number;
}

static void add_sample(struct profile *p, size_t i, int64_t value)
{
	sample *x = arena_alloc(&p->memory, sizeof(*x));
	size_t ids = p->frames.len * sizeof(*x->location_id);
	size_t labels = p->labels.len * sizeof(*x->label);

	pprof__sample__init(x);
	x->n_value = p->nvalues;
	x->value = arena_alloc(&p->memory, p->nvalues * sizeof(*x->value));
	x->value[i] = value;
	x->n_location_id = p->frames.len;
	x->location_id = memcpy(arena_alloc(&p->memory, ids), p->frames.data, ids);
	x->n_label = p->labels.len;
	x->label = arena_alloc(&p->memory, labels);
	if (labels)
		memcpy(x->label, p->labels.data, labels);
	*vec_push(&p->samples) = x;
	p->nframes += p->frames.len;
}

void profile_end_stack(struct profile *p, size_t i, int64_t value)
{
	static const struct ustack_frame none = {.function = "[no stack]"};
	bool is_left_out;

	if (!p->frames.len)
		profile_add_frame(p, &none);
	is_left_out = is_full(p);
	if (!is_left_out)
		add_sample(p, i, value);
	p->nleft_out += is_left_out;
	p->frames.len = p->labels.len = p->lines.len = 0;
}

uint64_t profile_stacks(const struct profile *p)
{
	return p->samples.len;
}

uint64_t profile_left_out(const struct profile *p)
{
	return p->nleft_out;
}

/* ---- the file ---- */

/* Appends the bytes as a file of gzip. */
static bool compress_bytes(const uint8_t *bytes, size_t n, struct strbuf *to)
{
	z_stream z = {0};
	Bytef *room;
	uLong size;
	bool ok;

	if (n > UINT32_MAX / 2 ||
	    deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + GZIP,
			 MAX_MEM_LEVEL - 1, Z_DEFAULT_STRATEGY) != Z_OK)
		return false;
	size = deflateBound(&z, (uLong)n);
	room = oom_calloc(1, size);
	z.next_in = (Bytef *)(uintptr_t)bytes;
	z.avail_in = (uInt)n;
	z.next_out = room;
	z.avail_out = (uInt)size;
	ok = deflate(&z, Z_FINISH) == Z_STREAM_END;
	strbuf_add(to, room, (size_t)z.total_out);
	free(room);
	deflateEnd(&z);
	return ok;
}

static void set_facts(struct profile *p, const struct profile_facts *facts,
		      Pprof__Profile *message)
{
	for (size_t i = 0; i < p->mappings.len; i++) {
		mapping *m = p->mappings.data[i];

		m->has_filenames = m->has_line_numbers = facts->has_lines;
		m->has_inline_frames = facts->has_inlined;
	}
	/* readers take the first for the program */
	if (p->exe) {
		mapping *exe = p->mappings.data[p->exe - 1];

		p->mappings.data[p->exe - 1] = p->mappings.data[0];
		p->mappings.data[0] = exe;
		p->exe = 1;
	}
	message->time_nanos = (int64_t)facts->time;
	message->duration_nanos = (int64_t)facts->duration;
}

bool profile_write(struct profile *p, const struct profile_facts *facts,
		   struct strbuf *to)
{
	Pprof__Profile message = PPROF__PROFILE__INIT;
	uint8_t *bytes;
	size_t n;
	bool ok;

	set_facts(p, facts, &message);
	message.n_sample_type = p->nvalues;
	message.sample_type = p->types;
	message.default_sample_type = p->types[0]->type;
	message.n_sample = p->samples.len;
	message.sample = p->samples.data;
	message.n_mapping = p->mappings.len;
	message.mapping = p->mappings.data;
	message.n_location = p->locations.len;
	message.location = p->locations.data;
	message.n_function = p->functions.len;
	message.function = p->functions.data;
	message.n_string_table = p->strings.len;
	message.string_table = p->strings.data;
	n = pprof__profile__get_packed_size(&message);
	bytes = oom_calloc(1, n + 1);
	pprof__profile__pack(&message, bytes);
	ok = compress_bytes(bytes, n, to);
	free(bytes);
	return ok;
}

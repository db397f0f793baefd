/* SPDX-License-Identifier: MIT */
/*
 * One JSON object for each line, pure ASCII.
 *
 * A form of the output is asked for the parts of a record one after the other; the
 * object is written at the record's end.
 */
#include "tracer/base/text.h"
#include "tracer/export/export_form.h"
#include "tracer/aggs/agg_view.h"
#include "tracer/output/format.h"
#include "tracer/aggs/hist.h"
#include "vm/base/host/oom.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SCHEMA 1 /* raised when a member changes its meaning or goes */

struct json_form {
	struct export_form base; /* first */
	json_t *actions;	 /* of the record that is being written */
	uint64_t time;		 /* of the rows that are being written */
	bool is_own;		 /* the message is one of this form: already written */
};

static struct json_form *json_of(struct form *f)
{
	return (struct json_form *)(void *)f;
}

/* ---- values ---- */

/* Strings of the tracer itself and of targets alike. */
static json_t *text(struct json_form *j, const char *bytes, size_t n)
{
	struct strbuf *s = &j->base.text;

	strbuf_reset(s);
	strbuf_puts(s, "");
	text_add_escaped(s, bytes, n, TEXT_CONTROLS_KEPT);
	return json_stringn_nocheck(s->data, s->len);
}

static void set(json_t *object, const char *name, json_t *value)
{
	json_object_set_new_nocheck(object, name, value);
}

static void set_text(struct json_form *j, json_t *object, const char *name,
		     const char *value)
{
	set(object, name, text(j, value, strlen(value)));
}

/* JSON numbers of this library are signed: what does not fit is a string of digits. */
static json_t *number(uint64_t v, bool is_signed)
{
	char digits[24];

	if (is_signed || v <= INT64_MAX)
		return json_integer((json_int_t)v);
	snprintf(digits, sizeof(digits), "%" PRIu64, v);
	return json_string_nocheck(digits);
}

static json_t *address(uint64_t v)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "0x%" PRIx64, v);
	return json_string_nocheck(digits);
}

static json_t *real(double x)
{
	if (isnan(x))
		return json_string_nocheck("nan");
	if (isinf(x))
		return json_string_nocheck(x < 0 ? "-inf" : "inf");
	return json_real(x);
}

/* {"bytes":"00ff..."} */
static json_t *bytes(struct json_form *j, const char *p, size_t n)
{
	struct strbuf *s = &j->base.text;
	json_t *object = json_object();

	strbuf_reset(s);
	strbuf_puts(s, "");
	text_add_hex(s, p, n);
	set(object, "bytes", json_stringn_nocheck(s->data, s->len));
	return object;
}

static json_t *frame(struct json_form *j, const struct ustack_frame *f)
{
	json_t *object = json_object();

	if (f->module)
		set_text(j, object, "module", f->module);
	if (f->function)
		set_text(j, object, "function", f->function);
	if (f->is_inlined)
		set(object, "inlined", json_true());
	else if (f->function && !f->is_python)
		set(object, "offset", json_integer((json_int_t)f->offset));
	if (f->file)
		set_text(j, object, "file", f->file);
	if (f->file && (f->line || !f->is_python))
		set(object, "line", json_integer((json_int_t)f->line));
	if (!f->is_python)
		set(object, "address", address(f->address));
	return object;
}

struct frames {
	struct json_form *j;
	json_t *array;
};

static void add_frame(void *ctx, const struct ustack_frame *f)
{
	struct frames *all = ctx;

	json_array_append_new(all->array, frame(all->j, f));
}

/* A stack is an array of frames, usym() and its kin are one. */
static json_t *location(struct json_form *j, const struct tuple_value *v, uint64_t time)
{
	struct frames all = {j, json_array()};
	json_t *only;

	ustack_each(j->base.config.ustack, v, time, add_frame, &all);
	if (ustack_is_stack(v))
		return all.array;
	only = json_incref(json_array_get(all.array, 0));
	json_decref(all.array);
	return only;
}

/* An array of wchar_t. */
static json_t *wide(struct json_form *j, const struct tuple_value *v)
{
	struct strbuf *s = &j->base.text;

	strbuf_reset(s);
	strbuf_puts(s, "");
	format_wide(s, v); /* valid as it is */
	return json_stringn_nocheck(s->data, s->len);
}

static json_t *value_of(struct json_form *j, const struct tuple_value *v, uint64_t time)
{
	const struct program_field *f = v->field;

	if (f->kind == KIND_INT)
		return number(v->number, f->is_signed);
	if (program_is_location(f))
		return location(j, v, time);
	if (f->show == SHOW_FLOAT)
		return real((double)format_float(v));
	if (f->show == SHOW_WIDE)
		return wide(j, v);
	if (f->kind == KIND_STR || export_is_text(j->base.config.image, f))
		return text(j, v->bytes, strnlen(v->bytes, v->len));
	return bytes(j, v->bytes, v->len);
}

/* ---- objects ---- */

static int put(const char *p, size_t n, void *ctx)
{
	out_write(ctx, p, n);
	return 0;
}

/* Writes the line of an object, and releases it. */
static void emit(struct json_form *j, json_t *object)
{
	struct out *o = j->base.config.out;

	json_dump_callback(object, put, o, JSON_COMPACT | JSON_ENSURE_ASCII);
	out_putc(o, '\n');
	json_decref(object);
}

static json_t *object_of(struct json_form *j, const char *type)
{
	json_t *object = json_object();

	set_text(j, object, "type", type);
	return object;
}

/* What a record and a fault say of their firing. */
static void set_firing(struct json_form *j, json_t *object, const struct record *r,
		       const struct probe *p)
{
	static const struct {
		const char *name;
		enum probe_field field;
	} parts[] = {{"provider", PROBE_PROVIDER},
		     {"module", PROBE_MODULE},
		     {"function", PROBE_FUNCTION},
		     {"name", PROBE_NAME}};

	set(object, "timestamp", number(r->time, false));
	set(object, "id", json_integer(r->probe));
	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		set_text(j, object, parts[i].name,
			 probes_name(j->base.config.probes, p, parts[i].field));
	set(object, "cpu", json_integer(r->cpu));
	set(object, "pid", json_integer(r->pid));
	set(object, "tid", json_integer(r->tid));
}

/* ---- the form ---- */

static void begin_record(struct form *f, const struct form_record *r)
{
	(void)r;
	json_of(f)->actions = json_array();
}

static void end_record(struct form *f, const struct form_record *r)
{
	struct json_form *j = json_of(f);
	json_t *object = object_of(j, "record");

	set_firing(j, object, r->record, r->probe);
	set(object, "actions", j->actions);
	j->actions = NULL;
	emit(j, object);
}

static json_t *add_action(struct json_form *j, const char *name)
{
	json_t *object = json_object();

	set_text(j, object, "action", name);
	json_array_append_new(j->actions, object);
	return object;
}

static void add_value(struct form *f, const struct form_record *r,
		      const struct tuple_value *v)
{
	struct json_form *j = json_of(f);

	set(add_action(j, export_source(v->field)), "value",
	    value_of(j, v, r->record->time));
}

static int add_formatted(struct form *f, const struct format *format,
			 const struct format_args *args)
{
	struct json_form *j = json_of(f);
	json_t *object = add_action(j, "printf"), *values = json_array();
	struct tuple_value v;
	size_t pos = 0;
	int rc = export_format(&j->base, format, args);

	set(object, "text", text(j, j->base.sink->buffer, j->base.sink->len));
	for (uint32_t i = 0; i < args->nfields && !rc; i++) {
		rc = tuple_next(args->data, args->size, &pos, &args->fields[i], &v);
		if (!rc)
			json_array_append_new(values, value_of(j, &v, args->time));
	}
	set(object, "values", values);
	return rc;
}

static void add_memory(struct form *f, const char *p, size_t n)
{
	struct json_form *j = json_of(f);

	set(add_action(j, "tracemem"), "value", bytes(j, p, n));
}

static void add_typed(struct form *f, const char *p, size_t n)
{
	struct json_form *j = json_of(f);

	set(add_action(j, "print"), "text", text(j, p, n));
}

/* Adds the members of the object to the action. */
static void add_typed_members(struct form *f, const char *object, size_t n)
{
	struct json_form *j = json_of(f);
	json_t *action = json_array_get(j->actions, json_array_size(j->actions) - 1);
	json_t *members = json_loadb(object, n, JSON_ALLOW_NUL, NULL);

	if (members)
		json_object_update_new(action, members);
}

static json_t *bound(bool is_there, int64_t v)
{
	return is_there ? json_integer(v) : json_null();
}

/* The buckets that counted something. */
static json_t *buckets(const struct agg_value *x)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < x->agg->words; i++) {
		struct bucket b = bucket_of(x->agg, i);
		json_t *object;

		if (!x->words[i])
			continue;
		object = json_object();
		set(object, "min", bound(b.has_min, b.min));
		set(object, "max", bound(b.has_max, b.max));
		set(object, "count", json_integer(hist_divide(x->words[i], x->factor)));
		json_array_append_new(array, object);
	}
	return array;
}

static void emit_row(void *ctx, const struct agg_value *x)
{
	struct json_form *j = ctx;
	json_t *object, *keys;
	struct tuple_value key;
	size_t pos = 0;
	double share;

	if (!x->words)
		return;
	object = object_of(j, "aggregation");
	keys = json_array();
	set(object, "timestamp", number(j->time, false));
	set_text(j, object, "name", x->name);
	set_text(j, object, "function", export_function(x->agg));
	for (uint32_t i = 0; agg_value_key(x, i, &pos, &key); i++)
		json_array_append_new(keys, value_of(j, &key, 0));
	set(object, "keys", keys);
	if (hist_is(x->agg))
		set(object, "buckets", buckets(x));
	else
		set(object, "value", json_integer(agg_value_number(x)));
	if (j->base.config.options->aggshare && agg_value_share(x, &share))
		set(object, "share", json_real(share));
	emit(j, object);
}

/* A format says only how text is to look. */
static void emit_rows(struct form *f, struct agg_view *v, const struct format *format,
		      uint64_t time)
{
	(void)format;
	json_of(f)->time = export_time(time);
	agg_view_each(v, emit_row, f);
}

static void no_newline(struct form *f)
{
	(void)f;
}

/* The message goes to stderr too, as every other. */
static void also_say(struct json_form *j, const char *message)
{
	j->is_own = true;
	out_message(j->base.config.out, "%s", message);
	j->is_own = false;
}

static void emit_fault(struct form *f, const struct form_fault *x)
{
	struct json_form *j = json_of(f);
	json_t *object = object_of(j, "error");

	set_firing(j, object, x->record, x->probe);
	set_text(j, object, "fault", x->what);
	if (x->has_address)
		set(object, "address", address(x->fault->address));
	set(object, "statement", json_integer(x->fault->action));
	set_text(j, object, "text", x->text);
	emit(j, object);
	also_say(j, x->text);
}

static void emit_drop(struct form *f, const struct form_drop *x)
{
	struct json_form *j = json_of(f);
	json_t *object = object_of(j, "drop");

	set_text(j, object, "kind", x->tag);
	set(object, "count", number(x->n, false));
	if (x->cpu >= 0)
		set(object, "cpu", json_integer(x->cpu));
	set_text(j, object, "text", x->text);
	emit(j, object);
	also_say(j, x->text);
}

/* A message that out prints on stderr. */
static void hear(void *ctx, bool is_notice, const char *message)
{
	struct json_form *j = ctx;
	json_t *object;

	if (j->is_own)
		return;
	object = object_of(j, is_notice ? "notice" : "message");
	set_text(j, object, "text", message);
	emit(j, object);
}

/* The first line. */
static void emit_begin(struct json_form *j)
{
	json_t *object = object_of(j, "begin");
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	set(object, "schema", json_integer(SCHEMA));
	set(object, "timestamp", number(export_time(0), false));
	set(object, "walltimestamp",
	    json_integer((json_int_t)ts.tv_sec * 1000000000 + ts.tv_nsec));
	emit(j, object);
}

static void release(struct export_form *e)
{
	json_decref(json_of(&e->form)->actions);
	e->config.out->listener = NULL;
}

static void *allocate(size_t n)
{
	return oom_realloc(NULL, n);
}

static const struct form_ops ops = {
	.record_begin = begin_record,
	.record_end = end_record,
	.value = add_value,
	.formatted = add_formatted,
	.memory = add_memory,
	.typed = add_typed,
	.typed_json = add_typed_members,
	.rows = emit_rows,
	.newline = no_newline,
	.fault = emit_fault,
	.drop = emit_drop,
};

struct export_form *json_form_new(const struct export_config *config)
{
	struct json_form *j = oom_calloc(1, sizeof(*j));

	json_set_alloc_funcs(allocate, free);
	j->base = (struct export_form){
		.form = {&ops}, .config = *config, .release = release};
	config->out->listener = hear;
	config->out->listener_ctx = j;
	emit_begin(j);
	return &j->base;
}

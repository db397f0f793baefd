/* SPDX-License-Identifier: MIT */
#include "tracer/output/actions.h"
#include "tracer/output/agg_view.h"
#include "tracer/output/format.h"
#include "tracer/output/shell.h"
#include "tracer/output/ustack.h"
#include "tracer/output/value.h"
#include "vm/base/host/oom.h"
#include "vm/base/status.h"
#include "vm/tuple.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static bool has_format(enum action_kind kind)
{
	return kind == ACTION_printf || kind == ACTION_printa ||
	       kind == ACTION_system || kind == ACTION_freopen;
}

static void make_formats(struct performer *pf)
{
	const void *image = pf->config->image;
	uint32_t n = program_count(image, SECTION_ACTION);

	pf->formats = oom_calloc(n + 1, sizeof(*pf->formats));
	for (uint32_t i = 0; i < n; i++) {
		const struct program_action *a = program_action(image, i);

		if (a->text && has_format((enum action_kind)a->kind))
			format_init(&pf->formats[i], program_string(image, a->text));
	}
}

void performer_init(struct performer *pf, const struct consumer_config *config)
{
	struct aggview_config aggs = {
		.image = config->image,
		.state = config->state,
		.options = config->options,
		.out = config->out,
		.ustack = config->ustack,
	};

	*pf = (struct performer){.config = config, .aggs = aggview_new(&aggs)};
	make_formats(pf);
}

void performer_release(struct performer *pf)
{
	for (uint32_t i = 0; i < program_count(pf->config->image, SECTION_ACTION); i++)
		format_release(&pf->formats[i]);
	free(pf->formats);
	aggview_free(pf->aggs);
	strbuf_release(&pf->scratch);
	if (pf->sink)
		out_free(pf->sink);
}

/* What an action recorded: a tuple of its fields. */
struct payload {
	const void *data;
	size_t size;
};

static int64_t int_payload(const struct performer *pf, const struct program_action *a,
			   const struct payload *p)
{
	struct tuple_value v;
	size_t pos = 0;

	if (!a->nfields ||
	    tuple_next(p->data, p->size, &pos,
		       program_field(pf->config->image, a->first_field), &v))
		return 0;
	return (int64_t)v.number;
}

/* The first exit() counts, but END's overrides. */
static void take_status(struct performer *pf, const struct record *r, int64_t status)
{
	if (pf->has_status && r->probe != PROBE_END)
		return;
	pf->has_status = true;
	pf->status = (int)status;
}

static void trace_value(const struct performer *pf, const struct record *r,
			const struct tuple_value *v)
{
	const struct consumer_config *cfg = pf->config;

	if (cfg->ustack && program_is_location(v->field))
		ustack_print(cfg->ustack, cfg->out, v, r->time, cfg->options);
	else
		value_print(cfg->out, v, cfg->options);
}

static int trace_values(struct performer *pf, const struct record *r,
			const struct program_action *a, const struct payload *p)
{
	struct tuple_value v;
	size_t pos = 0;
	int rc;

	for (uint32_t i = 0; i < a->nfields; i++) {
		rc = tuple_next(p->data, p->size, &pos,
				program_field(pf->config->image, a->first_field + i),
				&v);
		if (rc)
			return rc;
		trace_value(pf, r, &v);
	}
	return 0;
}

static int print_formatted(struct performer *pf, const struct record *r,
			   uint32_t action, const struct payload *p, struct out *o)
{
	const struct program_action *a = program_action(pf->config->image, action);
	struct format_args args = {
		.fields = program_field(pf->config->image, a->first_field),
		.nfields = a->nfields,
		.data = p->data,
		.size = p->size,
		.scratch = &pf->scratch,
		.ustack = pf->config->ustack,
		.pid = r->pid,
		.time = r->time,
	};

	return format_print(&pf->formats[action], &args, o);
}

/* The n-th value of an action's data; false if the action or its data has none. */
static bool payload_value(const struct performer *pf, const struct program_action *a,
			  const struct payload *p, uint32_t n, struct tuple_value *v)
{
	size_t pos = 0;

	if (n >= a->nfields)
		return false;
	for (uint32_t i = 0; i <= n; i++)
		if (tuple_next(p->data, p->size, &pos,
			       program_field(pf->config->image, a->first_field + i), v))
			return false;
	return true;
}

static int print_memory(struct performer *pf, const struct program_action *a,
			const struct payload *p)
{
	struct tuple_value bytes, shown;
	size_t n;

	if (!payload_value(pf, a, p, 0, &bytes))
		return STATUS_BADFMT;
	n = bytes.len;
	if (payload_value(pf, a, p, 1, &shown) && shown.number && shown.number < n)
		n = (size_t)shown.number;
	value_dump(pf->config->out, bytes.bytes, n);
	return 0;
}

static int print_typed(struct performer *pf, uint32_t action, const struct payload *p)
{
	const struct program_action *a = program_action(pf->config->image, action);
	struct tuple_value v;

	if (!payload_value(pf, a, p, 0, &v))
		return STATUS_BADFMT;
	if (!pf->config->print)
		return 0;
	if (v.field->kind == KIND_INT)
		pf->config->print(pf->config->ctx, action, &v.number, v.field->size,
				  &pf->scratch);
	else
		pf->config->print(pf->config->ctx, action, v.bytes, v.len,
				  &pf->scratch);
	out_write(pf->config->out, pf->scratch.data, pf->scratch.len);
	return 0;
}

static const uint32_t *operands(const struct performer *pf,
				const struct program_action *a)
{
	const uint32_t *all = program_section(pf->config->image, SECTION_OPERAND);

	return all + a->first_operand;
}

void perform_put_enabling(const struct probes *ps, const struct record *r,
			  struct strbuf *text)
{
	const struct probe *p = probes_get(ps, r->probe);

	strbuf_printf(
		text,
		"error on enabled probe ID %" PRIu32 " (ID %" PRIu32 ": %s:%s:%s:%s): ",
		r->epid, r->probe, probes_name(ps, p, PROBE_PROVIDER),
		probes_name(ps, p, PROBE_MODULE), probes_name(ps, p, PROBE_FUNCTION),
		probes_name(ps, p, PROBE_NAME));
}

/* An action of the consumer failed; such messages end in a newline of their own. */
static void complain(struct performer *pf, const struct record *r, const char *fmt, ...)
	ATTR_PRINTF(3, 4);
static void complain(struct performer *pf, const struct record *r, const char *fmt, ...)
{
	struct strbuf text = {0};
	va_list ap;

	perform_put_enabling(pf->config->probes, r, &text);
	va_start(ap, fmt);
	strbuf_vprintf(&text, fmt, ap);
	va_end(ap);
	strbuf_putc(&text, '\n');
	out_message(pf->config->out, "%s", text.data);
	strbuf_release(&text);
}

/*
 * The text of a command or path: at most strsize bytes with its end. NULL when
 * the data is spoilt.
 */
static const char *make_text(struct performer *pf, const struct record *r,
			     uint32_t action, const struct payload *p)
{
	size_t most =
		min_u64(program_header(pf->config->image)->strsize, OUT_BUFFER) - 1;
	struct out *o = pf->sink;

	if (!o) {
		o = pf->sink = out_new(pf->config->command);
		o->fd = -1;
	}
	o->len = 0;
	o->error = EFBIG; /* what does not fit in its buffer is dropped */
	if (print_formatted(pf, r, action, p, o))
		return NULL;
	o->buffer[min_u64(o->len, most)] = '\0';
	return o->buffer;
}

static int run_command(struct performer *pf, const struct record *r, uint32_t action,
		       const struct payload *p)
{
	const char *command = make_text(pf, r, action, p);
	struct err e;

	if (!command)
		return STATUS_BADFMT;
	if (shell_run(pf->config->out, command, &e))
		complain(pf, r, "couldn't run \"%s\": %s", command, e.text);
	return 0;
}

static int reopen(struct performer *pf, const struct record *r, uint32_t action,
		  const struct payload *p)
{
	const char *path = make_text(pf, r, action, p);
	struct err e;
	int rc;

	if (!path)
		return STATUS_BADFMT;
	rc = path[0] ? out_reopen(pf->config->out, path, &e)
		     : out_restore(pf->config->out, &e);
	if (rc)
		complain(pf, r, "couldn't freopen() \"%s\": %s", path, e.text);
	return 0;
}

static int set_option(struct performer *pf, const struct record *r,
		      const struct program_action *a, const struct payload *p)
{
	struct strbuf name = {0}, value = {0};
	struct tuple_value v;
	struct err e;
	bool has_value;
	int rc = STATUS_BADFMT;

	if (!payload_value(pf, a, p, 0, &v))
		return rc;
	strbuf_add(&name, v.bytes, v.len);
	has_value = payload_value(pf, a, p, 1, &v);
	if (has_value)
		strbuf_add(&value, v.bytes, v.len);
	rc = options_set(pf->config->options, OPTION_FROM_SETOPT, name.data,
			 has_value ? value.data : NULL, &e);
	if (rc)
		complain(pf, r, "couldn't set option \"%s\" to \"%s\": %s", name.data,
			 has_value ? value.data : "1", e.text);
	strbuf_release(&name);
	strbuf_release(&value);
	return 0;
}

/* clear(), trunc(), normalize() and denormalize() */
static int change_aggs(struct performer *pf, const struct record *r,
		       const struct program_action *a, const struct payload *p)
{
	int64_t n = int_payload(pf, a, p);

	for (uint32_t i = 0; i < a->noperands; i++) {
		uint32_t agg = operands(pf, a)[i];

		if (a->kind == ACTION_clear)
			aggview_clear(pf->aggs, agg, r->time);
		else if (a->kind == ACTION_trunc)
			aggview_trunc(pf->aggs, agg, n, r->time);
		else
			aggview_normalize(pf->aggs, agg, (uint64_t)n);
	}
	return 0;
}

/* Performs one item of a record. 0, or STATUS_BADFMT when its data is spoilt. */
static int perform(struct performer *pf, const struct record *r, uint32_t action,
		   const struct payload *p)
{
	const struct program_action *a = program_action(pf->config->image, action);

	switch ((enum action_kind)a->kind) {
	case ACTION_trace:
		return trace_values(pf, r, a, p);
	case ACTION_printf:
		return print_formatted(pf, r, action, p, pf->config->out);
	case ACTION_tracemem:
		return print_memory(pf, a, p);
	case ACTION_print:
		return print_typed(pf, action, p);
	case ACTION_printa:
		aggview_print(pf->aggs, operands(pf, a), a->noperands,
			      a->text ? &pf->formats[action] : NULL);
		return 0;
	case ACTION_exit:
		take_status(pf, r, int_payload(pf, a, p));
		return 0;
	case ACTION_clear:
	case ACTION_trunc:
	case ACTION_normalize:
	case ACTION_denormalize:
		return change_aggs(pf, r, a, p);
	case ACTION_system:
		return run_command(pf, r, action, p);
	case ACTION_freopen:
		return reopen(pf, r, action, p);
	case ACTION_ftruncate:
		out_truncate(pf->config->out);
		return 0;
	case ACTION_setopt:
		return set_option(pf, r, a, p);
	case ACTION_COUNT:
		break;
	}
	return STATUS_BADFMT;
}

void perform_all(struct performer *pf, const struct record *r)
{
	const char *p = (const char *)(r + 1), *end = (const char *)r + r->size;

	while (p < end) {
		struct record_item item;
		struct payload data;

		memcpy(&item, p, sizeof(item));
		p += sizeof(item);
		data = (struct payload){p, item.size};
		if (perform(pf, r, item.action, &data)) {
			out_message(pf->config->out,
				    "malformed record of probe ID %" PRIu32, r->probe);
			return;
		}
		p += item.size;
	}
}

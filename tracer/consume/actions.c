/* SPDX-License-Identifier: MIT */
#include "tracer/consume/actions.h"
#include "tracer/aggs/agg_view.h"
#include "tracer/consume/shell.h"
#include "tracer/dump/dump.h"
#include "tracer/emit/emit.h"
#include "tracer/output/format.h"
#include "tracer/trust/literals.h"
#include "tracer/trust/path_check.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"
#include "vm/base/status.h"
#include "vm/base/text/shown.h"
#include "vm/tuple.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define REFUSALS_MAX 64 /* of dump(), of so many processes */

static bool has_format(enum action_kind kind)
{
	return kind == ACTION_printf || kind == ACTION_printa ||
	       kind == ACTION_system || kind == ACTION_freopen || kind == ACTION_dump ||
	       kind == ACTION_gcore;
}

static void make_formats(struct actions *as)
{
	const void *image = as->config->image;
	uint32_t n = program_count(image, SECTION_ACTION);

	as->formats = oom_calloc(n + 1, sizeof(*as->formats));
	as->args = oom_calloc(n + 1, sizeof(*as->args));
	for (uint32_t i = 0; i < n; i++) {
		const struct program_action *a = program_action(image, i);

		if (a->text && has_format((enum action_kind)a->kind))
			format_init(&as->formats[i], program_string(image, a->text));
		as->args[i] = (struct format_args){
			.fields = program_field(image, a->first_field),
			.nfields = a->nfields,
			.scratch = &as->scratch,
			.ustack = as->config->ustack,
			.literals = as->literals[i],
		};
	}
}

void actions_init(struct actions *as, const struct consumer_config *config,
		  struct record_check *check)
{
	struct agg_config aggs = {
		.image = config->image,
		.sources = config->sources,
		.options = config->options,
		.out = config->out,
		.form = config->form,
		.check = check,
		.ustack = config->ustack,
		.removed = config->removed,
		.ctx = config->ctx,
	};

	*as = (struct actions){
		.config = config, .aggs = agg_view_new(&aggs), .form = config->form};
	as->literals = literals_new(config->image);
	make_formats(as);
}

void actions_release(struct actions *as)
{
	for (uint32_t i = 0; i < program_count(as->config->image, SECTION_ACTION); i++)
		format_release(&as->formats[i]);
	free(as->formats);
	free(as->args);
	agg_view_free(as->aggs);
	strbuf_release(&as->scratch);
	free(as->literals);
	map_release(&as->refused_dumps);
	vec_release(&as->spans);
	if (as->sink)
		out_free(as->sink);
}

/* What an action recorded: a tuple of its fields. */
struct payload {
	const void *data;
	size_t size;
};

static int64_t int_payload(const struct actions *as, const struct program_action *a,
			   const struct payload *p)
{
	struct tuple_value v;
	size_t pos = 0;

	if (!a->nfields ||
	    tuple_next(p->data, p->size, &pos,
		       program_field(as->config->image, a->first_field), &v))
		return 0;
	return (int64_t)v.number;
}

/* The first exit() sets the status; one in END overrides it. */
static void take_status(struct actions *as, const struct record *r, int64_t status)
{
	if (as->has_status && r->probe != PROBE_END)
		return;
	as->has_status = true;
	as->status = (int)status;
}

static int trace_values(struct actions *as, const struct form_record *x,
			const struct program_action *a, const struct payload *p)
{
	struct tuple_value v;
	size_t pos = 0;
	int rc;

	for (uint32_t i = 0; i < a->nfields; i++) {
		rc = tuple_next(p->data, p->size, &pos,
				program_field(as->config->image, a->first_field + i),
				&v);
		if (rc)
			return rc;
		as->form->ops->value(as->form, x, &v);
	}
	return 0;
}

static void complain_of_record(const struct actions *as, const struct record *r)
{
	out_message(as->config->out, "malformed record of probe ID %" PRIu32, r->probe);
}

static const struct format_args *args_of(struct actions *as, const struct record *r,
					 uint32_t action, const struct payload *p)
{
	struct format_args *args = &as->args[action];

	args->data = p->data;
	args->size = p->size;
	args->pid = r->pid;
	args->time = r->time;
	args->spans = NULL;
	return args;
}

/* sink NULL: printf(), else the text goes there. */
static int print_formatted(struct actions *as, const struct record *r, uint32_t action,
			   const struct payload *p, struct out *sink)
{
	const struct format_args *args = args_of(as, r, action, p);

	if (!sink)
		return as->form->ops->formatted(as->form, &as->formats[action], args);
	as->args[action].spans = &as->spans;
	return format_print(&as->formats[action], args, sink);
}

bool actions_is_printf(const struct actions *as, const struct record *r)
{
	struct record_item item;

	if (r->size < sizeof(*r) + sizeof(item))
		return false;
	memcpy(&item, r + 1, sizeof(item));
	return r->size == sizeof(*r) + sizeof(item) + item.size &&
	       program_action(as->config->image, item.action)->kind == ACTION_printf;
}

void actions_print(struct actions *as, const struct record *r)
{
	struct record_item item;
	struct payload p;

	memcpy(&item, r + 1, sizeof(item));
	p = (struct payload){(const char *)(r + 1) + sizeof(item), item.size};
	if (format_print(&as->formats[item.action], args_of(as, r, item.action, &p),
			 as->config->out))
		complain_of_record(as, r);
}

/* The n-th value of an action's data; false if there is no such value. */
static bool payload_value(const struct actions *as, const struct program_action *a,
			  const struct payload *p, uint32_t n, struct tuple_value *v)
{
	size_t pos = 0;

	if (n >= a->nfields)
		return false;
	for (uint32_t i = 0; i <= n; i++)
		if (tuple_next(p->data, p->size, &pos,
			       program_field(as->config->image, a->first_field + i), v))
			return false;
	return true;
}

static int print_memory(struct actions *as, const struct program_action *a,
			const struct payload *p)
{
	struct tuple_value bytes, shown;
	size_t n;

	if (!payload_value(as, a, p, 0, &bytes))
		return STATUS_BADFMT;
	n = bytes.len;
	if (payload_value(as, a, p, 1, &shown) && shown.number && shown.number < n)
		n = (size_t)shown.number;
	as->form->ops->memory(as->form, bytes.bytes, n);
	return 0;
}

static int print_typed(struct actions *as, uint32_t action, const struct payload *p)
{
	const struct program_action *a = program_action(as->config->image, action);
	struct tuple_value v, pieces;
	struct printed printed = {0};

	if (!payload_value(as, a, p, 0, &v))
		return STATUS_BADFMT;
	if (!as->config->print)
		return 0;
	printed = (struct printed){.bytes = v.bytes, .n = v.len};
	if (v.field->kind == KIND_INT)
		printed = (struct printed){.bytes = &v.number, .n = v.field->size};
	if (payload_value(as, a, p, 1, &pieces))
		printed.pieces = pieces.bytes;
	as->config->print(as->config->ctx, action, &printed, &as->scratch);
	as->form->ops->typed(as->form, as->scratch.data, as->scratch.len);
	if (!as->form->ops->typed_json)
		return 0;
	printed.is_json = true;
	as->config->print(as->config->ctx, action, &printed, &as->scratch);
	as->form->ops->typed_json(as->form, as->scratch.data, as->scratch.len);
	return 0;
}

static const uint32_t *operands(const struct actions *as,
				const struct program_action *a)
{
	const uint32_t *all = program_section(as->config->image, SECTION_OPERAND);

	return all + a->first_operand;
}

void actions_put_enabling(const struct probes *ps, const struct record *r,
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

/*
 * An action failed in dtrace, which the text says, and why. These messages end in a
 * second newline, as in DTrace; a newline in a name of the text is escaped, hints of why
 * have theirs.
 */
static void complain(struct actions *as, const struct record *r, const char *why,
		     const char *fmt, ...) ATTR_PRINTF(4, 5);
static void complain(struct actions *as, const struct record *r, const char *why,
		     const char *fmt, ...)
{
	struct strbuf text = {0}, line = {0};
	va_list ap;

	actions_put_enabling(as->config->probes, r, &text);
	va_start(ap, fmt);
	strbuf_vprintf(&text, fmt, ap);
	va_end(ap);
	shown_add(&line, text.data, text.len, SHOWN_NAME);
	out_message(as->config->out, "%s: %s\n", line.data, why);
	strbuf_release(&text);
	strbuf_release(&line);
}

/*
 * The text of a command or path: at most strsize bytes with its NUL; *is_cut: it was
 * longer. NULL when the data is malformed.
 */
static const char *make_text(struct actions *as, const struct record *r,
			     uint32_t action, const struct payload *p, bool *is_cut)
{
	size_t most =
		min_u64(program_header(as->config->image)->strsize, OUT_BUFFER) - 1;

	if (!as->sink)
		as->sink = out_new_text(as->config->command);
	out_restart(as->sink);
	as->spans.len = 0;
	if (print_formatted(as, r, action, p, as->sink))
		return NULL;
	*is_cut = as->sink->is_cut || as->sink->len > most;
	as->sink->buffer[min_u64(as->sink->len, most)] = '\0';
	return as->sink->buffer;
}

/* A part of a command with quotes may be another command. */
static int run_command(struct actions *as, const struct record *r, uint32_t action,
		       const struct payload *p)
{
	bool is_cut;
	const char *command = make_text(as, r, action, p, &is_cut);
	struct err e;

	if (!command)
		return STATUS_BADFMT;
	if (is_cut && format_has(&as->formats[action], 'q'))
		complain(as, r, "longer than strsize", "couldn't run \"%s...\"",
			 command);
	else if (shell_run(as->config->out, command, &e))
		complain(as, r, e.text, "couldn't run \"%s\"", command);
	return 0;
}

/* Why the path, of which a part may come from a target, is not opened; NULL: it is. */
static const char *path_refusal(const struct actions *as, const struct record *r,
				const char *path, bool is_cut)
{
	/* Nothing has been traced before BEGIN. */
	if (as->config->options->freopen == FREOPEN_ANY || r->probe == PROBE_BEGIN)
		return NULL;
	if (is_cut && as->spans.len)
		return "longer than strsize";
	if (!path_check_is_safe(path, &as->spans))
		return "a value in it changes the directory; -x freopen=any allows "
		       "that";
	return NULL;
}

/* Only a path that is the user's own may name a pipe or a device. */
static enum own_file which_file(const struct actions *as, const struct record *r)
{
	if (as->config->options->freopen == FREOPEN_ANY)
		return OWN_FILE_ANY;
	return as->spans.len && r->probe != PROBE_BEGIN ? OWN_FILE_REGULAR
							: OWN_FILE_STREAM;
}

static int reopen(struct actions *as, const struct record *r, uint32_t action,
		  const struct payload *p)
{
	bool is_cut;
	const char *path = make_text(as, r, action, p, &is_cut), *refusal;
	struct err e;
	int rc;

	if (!path)
		return STATUS_BADFMT;
	refusal = path_refusal(as, r, path, is_cut);
	if (refusal) {
		complain(as, r, refusal, "couldn't freopen() \"%s\"", path);
		return 0;
	}
	rc = path[0] ? out_reopen(as->config->out, path, which_file(as, r), &e)
		     : out_restore(as->config->out, &e);
	if (rc)
		complain(as, r, e.text, "couldn't freopen() \"%s\"", path);
	return 0;
}

static void fail_dump(struct actions *as, const struct record *r, const char *path,
		      const char *why)
{
	complain(as, r, why, "couldn't dump() \"%s\"", path);
	as->config->out->has_failed = true;
}

/* A core of the copy that the keeper has made at the probe. */
static void write_core(struct actions *as, const struct record *r, uint64_t number,
		       const char *path)
{
	struct strbuf context = {0};
	struct core_out out;
	struct err e;

	if (core_out_open(&out, path, &e)) {
		fail_dump(as, r, path, e.text);
		dumps_drop(as->config->dumps, number);
		return;
	}
	actions_put_enabling(as->config->probes, r, &context);
	if (!dumps_want(as->config->dumps, number, out, context.data, path))
		fail_dump(as, r, path, "one core is written of one event");
	strbuf_release(&context);
}

/* Said once of each process, as long as there are not too many. */
static void refuse_dump(struct actions *as, const struct record *r, const char *path)
{
	uint64_t known;
	char why[64];

	if (map_get(&as->refused_dumps, r->pid, &known) ||
	    as->refused_dumps.len >= REFUSALS_MAX)
		return;
	map_set(&as->refused_dumps, r->pid, 1);
	snprintf(why, sizeof(why), "-x dump=%" PRIu64 " allows no more",
		 as->config->options->dump);
	complain(as, r, why, "couldn't dump() \"%s\"", path);
}

static int dump(struct actions *as, const struct record *r, uint32_t action,
		const struct payload *p)
{
	const struct program_action *a = program_action(as->config->image, action);
	bool is_cut;
	const char *path = make_text(as, r, action, p, &is_cut), *refusal;
	struct tuple_value number;

	if (!path || !payload_value(as, a, p, a->nfields - 1, &number))
		return STATUS_BADFMT;
	if (!number.number) {
		refuse_dump(as, r, path);
		return 0;
	}
	if (!as->config->dumps)
		return 0;
	refusal = path_refusal(as, r, path, is_cut);
	if (refusal) {
		fail_dump(as, r, path, refusal);
		dumps_drop(as->config->dumps, number.number);
	} else {
		write_core(as, r, number.number, path);
	}
	return 0;
}

/* What cannot be written is said once. */
static int emit(struct actions *as, const struct record *r, uint32_t action,
		const struct payload *p)
{
	const struct emit_event x = {
		.image = as->config->image,
		.action = program_action(as->config->image, action),
		.record = r,
		.data = p->data,
		.n = p->size,
	};
	struct err e;
	int rc;

	if (!as->config->emitter)
		return 0;
	rc = emitter_write(as->config->emitter, &x, &e);
	if (rc != STATUS_IO)
		return rc;
	if (!as->has_refused_emit)
		complain(as, r, e.text, "couldn't emit() \"%s\"",
			 program_string(x.image, x.action->text));
	as->has_refused_emit = true;
	return 0;
}

static int set_option(struct actions *as, const struct record *r,
		      const struct program_action *a, const struct payload *p)
{
	struct strbuf name = {0}, value = {0};
	struct tuple_value v;
	struct err e;
	bool has_value;
	int rc = STATUS_BADFMT;

	if (!payload_value(as, a, p, 0, &v))
		return rc;
	strbuf_add(&name, v.bytes, v.len);
	has_value = payload_value(as, a, p, 1, &v);
	if (has_value)
		strbuf_add(&value, v.bytes, v.len);
	rc = options_set(as->config->options, OPTION_FROM_SETOPT, name.data,
			 has_value ? value.data : NULL, &e);
	if (rc)
		complain(as, r, e.text, "couldn't set option \"%s\" to \"%s\"",
			 name.data, has_value ? value.data : "1");
	strbuf_release(&name);
	strbuf_release(&value);
	return 0;
}

/* clear(), trunc(), normalize() and denormalize() */
static int change_aggs(struct actions *as, const struct record *r,
		       const struct program_action *a, const struct payload *p)
{
	int64_t n = int_payload(as, a, p);

	for (uint32_t i = 0; i < a->noperands; i++) {
		uint32_t agg = operands(as, a)[i];

		if (a->kind == ACTION_clear)
			agg_view_clear(as->aggs, agg, r->time);
		else if (a->kind == ACTION_trunc)
			agg_view_trunc(as->aggs, agg, n, r->time);
		else
			agg_view_normalize(as->aggs, agg, (uint64_t)n);
	}
	return 0;
}

/* Performs one item of a record. 0, or STATUS_BADFMT when its data is malformed. */
static int perform(struct actions *as, const struct form_record *x, uint32_t action,
		   const struct payload *p)
{
	const struct record *r = x->record;
	const struct program_action *a = program_action(as->config->image, action);

	switch ((enum action_kind)a->kind) {
	case ACTION_trace:
		return trace_values(as, x, a, p);
	case ACTION_printf:
		return print_formatted(as, r, action, p, NULL);
	case ACTION_tracemem:
		return print_memory(as, a, p);
	case ACTION_print:
		return print_typed(as, action, p);
	case ACTION_printa:
		agg_view_print(as->aggs, operands(as, a), a->noperands,
			       a->text ? &as->formats[action] : NULL, r->time);
		return 0;
	case ACTION_exit:
		take_status(as, r, int_payload(as, a, p));
		return 0;
	case ACTION_clear:
	case ACTION_trunc:
	case ACTION_normalize:
	case ACTION_denormalize:
		return change_aggs(as, r, a, p);
	case ACTION_system:
		return run_command(as, r, action, p);
	case ACTION_freopen:
		return reopen(as, r, action, p);
	case ACTION_dump:
	case ACTION_gcore:
		return dump(as, r, action, p);
	case ACTION_emit:
		return emit(as, r, action, p);
	case ACTION_ftruncate:
		out_truncate(as->config->out);
		return 0;
	case ACTION_setopt:
		return set_option(as, r, a, p);
	case ACTION_snapshot: /* taken when it fired */
		return 0;
	case ACTION_COUNT:
		break;
	}
	return STATUS_BADFMT;
}

void actions_perform(struct actions *as, const struct form_record *x)
{
	const struct record *r = x->record;
	const char *p = (const char *)(r + 1), *end = (const char *)r + r->size;

	while (p < end) {
		struct record_item item;
		struct payload data;

		memcpy(&item, p, sizeof(item));
		p += sizeof(item);
		data = (struct payload){p, item.size};
		if (perform(as, x, item.action, &data)) {
			complain_of_record(as, r);
			return;
		}
		p += item.size;
	}
}

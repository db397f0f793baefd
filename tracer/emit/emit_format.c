/* SPDX-License-Identifier: MIT */
#include "tracer/emit/emit_format.h"
#include "tracer/base/text.h"
#include "vm/base/status.h"
#include "vm/tuple.h"

#include <inttypes.h>
#include <string.h>

#define SECOND UINT64_C(1000000000)

static const struct program_field *field_of(const void *image,
					    const struct program_action *a, uint32_t i)
{
	return program_field(image, a->first_field + i);
}

/* Both kinds of numbers have 8 bytes. */
static bool is_number(const struct program_field *f)
{
	return f->kind == KIND_INT;
}

void emit_declaration(const void *image, const struct program_action *action,
		      struct strbuf *out)
{
	strbuf_printf(out, "%s u64 time; s32 pid; s32 tid; u32 cpu",
		      program_string(image, action->text));
	for (uint32_t i = 0; i < action->nfields; i++) {
		const struct program_field *f = field_of(image, action, i);

		strbuf_printf(out, "; %s arg%u",
			      !is_number(f)  ? "__rel_loc char[]"
			      : f->is_signed ? "s64"
					     : "u64",
			      i);
	}
}

static size_t text_length(const struct tuple_value *v)
{
	return strnlen(v->bytes, v->len);
}

/* Each value of the event, in order. */
static int each_value(const struct emit_event *x,
		      void (*each)(void *ctx, uint32_t i, const struct tuple_value *v),
		      void *ctx)
{
	struct tuple_value v;
	size_t pos = 0;

	for (uint32_t i = 0; i < x->action->nfields; i++) {
		if (tuple_next(x->data, x->n, &pos, field_of(x->image, x->action, i),
			       &v))
			return STATUS_BADFMT;
		each(ctx, i, &v);
	}
	return 0;
}

/* ---- bytes ---- */

/* The fixed part, then the texts. */
struct packed {
	struct strbuf fixed, texts;
	size_t size; /* of the whole fixed part */
};

static void add_size(void *ctx, uint32_t i, const struct tuple_value *v)
{
	struct packed *p = ctx;

	(void)i;
	p->size += is_number(v->field) ? 8 : 4;
}

static void pack(void *ctx, uint32_t i, const struct tuple_value *v)
{
	struct packed *p = ctx;
	size_t n, end = p->fixed.len + 4;
	uint32_t word;

	(void)i;
	if (is_number(v->field)) {
		strbuf_add(&p->fixed, &v->number, 8);
		return;
	}
	/* the lengths and distances have 16 bits */
	n = min_u64(text_length(v), UINT16_MAX / 2 - 1);
	if (p->size + p->texts.len + n >= UINT16_MAX)
		n = 0;
	word = (uint32_t)(p->size - end + p->texts.len) | (uint32_t)(n + 1) << 16;
	strbuf_add(&p->fixed, &word, 4);
	strbuf_add(&p->texts, v->bytes, n);
	strbuf_putc(&p->texts, '\0');
}

int emit_bytes(const struct emit_event *x, struct strbuf *out)
{
	const struct record *r = x->record;
	const uint32_t cpu = r->cpu;
	struct packed p = {0};
	int rc;

	strbuf_add(&p.fixed, &r->time, 8);
	strbuf_add(&p.fixed, &r->pid, 4);
	strbuf_add(&p.fixed, &r->tid, 4);
	strbuf_add(&p.fixed, &cpu, 4);
	p.size = p.fixed.len;
	rc = each_value(x, add_size, &p);
	if (rc == 0)
		rc = each_value(x, pack, &p);
	if (rc == 0) {
		strbuf_add(out, p.fixed.data, p.fixed.len);
		strbuf_add(out, p.texts.data, p.texts.len);
	}
	strbuf_release(&p.fixed);
	strbuf_release(&p.texts);
	return rc;
}

/* ---- text ---- */

static void put_value(void *ctx, uint32_t i, const struct tuple_value *v)
{
	struct strbuf *out = ctx;

	strbuf_printf(out, " arg%u=", i);
	if (!is_number(v->field)) {
		strbuf_putc(out, '"');
		text_add_json(out, v->bytes, text_length(v));
		strbuf_putc(out, '"');
	} else if (v->field->is_signed) {
		strbuf_printf(out, "%" PRId64, (int64_t)v->number);
	} else {
		strbuf_printf(out, "%" PRIu64, v->number);
	}
}

int emit_line(const struct emit_event *x, struct strbuf *out)
{
	const struct record *r = x->record;
	struct strbuf line = {0};
	int rc;

	strbuf_printf(&line, "%s: time=%" PRIu64 ".%09" PRIu64 " pid=%u tid=%u cpu=%u",
		      program_string(x->image, x->action->text), r->time / SECOND,
		      r->time % SECOND, r->pid, r->tid, r->cpu);
	rc = each_value(x, put_value, &line);
	if (line.len >= EMIT_LINE_MAX) {
		strbuf_cut(&line, EMIT_LINE_MAX - 4);
		strbuf_puts(&line, "...");
	}
	strbuf_putc(&line, '\n');
	if (rc == 0)
		strbuf_add(out, line.data, line.len);
	strbuf_release(&line);
	return rc;
}

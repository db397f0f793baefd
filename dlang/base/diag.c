/* SPDX-License-Identifier: MIT */
/*
 * Text of a diagnostic: the classic line,
 *
 *	failed to compile script FILE: [TAG] line N: MESSAGE
 *	invalid probe specifier ARG: [TAG] in action list: MESSAGE
 *
 * then the source line, a caret under the position, and perhaps a hint. An ARG that is
 * longer than a line is not repeated.
 */
#include "dlang/base/diag.h"

#include <stdio.h>
#include <string.h>

/* Columns of the source line shown before and after the position. */
#define EXCERPT_BEFORE 90
#define EXCERPT_AFTER  60
#define EXCERPT_INDENT "    "

/* Bytes of a program's text, without its last newline, that an error begins with. */
#define NAME_MAX_SHOWN 90

static bool is_utf8_tail(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* Whether a text has several lines. */
static bool has_lines(const char *text)
{
	const char *end = strchr(text, '\n');

	return end && end[1];
}

bool dlang_is_long(const char *text)
{
	return has_lines(text) || strlen(text) > NAME_MAX_SHOWN;
}

static void put_prefix(struct dlang *d, const struct ast_pos *pos, const char *tag,
		       struct strbuf *out)
{
	static const char *const parts[] = {"", "in predicate: ", "in action list: "};
	const struct dlang_source *src = d->src;

	strbuf_puts(out, src->is_file ? "failed to compile script "
				      : "invalid probe specifier");
	if (src->is_file || !dlang_is_long(src->name))
		strbuf_printf(out, "%s%s", src->is_file ? "" : " ", src->name);
	strbuf_puts(out, ": ");
	if (d->options.errtags && tag)
		strbuf_printf(out, "[%s] ", tag);
	if (src->library && pos)
		strbuf_printf(out,
			      "\"%s\", line %u: ", pos->file ? pos->file : src->library,
			      pos->line);
	else if (src->library)
		strbuf_printf(out, "\"%s\": ", src->library);
	else if (pos && pos->file && src->is_file)
		strbuf_printf(out, "\"%s\", line %u: ", pos->file, pos->line);
	else if (pos && (src->is_file || has_lines(src->name)))
		strbuf_printf(out, "line %u: ", pos->line);
	if (!src->library && !src->is_file)
		strbuf_puts(out, parts[d->diag.part]);
}

/* Control characters would misplace the caret, or control the terminal. */
static char visible(char c)
{
	return ((unsigned char)c < ' ' && c != '\t') || c == 0x7f ? '?' : c;
}

/* The source line around pos and a caret; nothing if the line is blank. */
static void put_excerpt(struct dlang *d, const struct ast_pos *pos, struct strbuf *out)
{
	const char *text = d->src->text, *at = text + pos->offset;
	const char *from = at, *to = at;

	while (from > text && from[-1] != '\n' && at - from < EXCERPT_BEFORE)
		from--;
	while (*to && *to != '\n' && to - at < EXCERPT_AFTER)
		to++;
	while (from < at && is_utf8_tail(*from))
		from++;
	while (to > at && is_utf8_tail(*to))
		to--;
	if (strspn(from, " \t\r") >= (size_t)(to - from))
		return;
	strbuf_puts(out, "\n" EXCERPT_INDENT);
	for (const char *p = from; p < to; p++)
		strbuf_putc(out, visible(*p));
	strbuf_puts(out, "\n" EXCERPT_INDENT);
	for (const char *p = from; p < at; p++)
		if (!is_utf8_tail(*p))
			strbuf_putc(out, *p == '\t' ? '\t' : ' ');
	strbuf_putc(out, '^');
}

/* Whether the error has the position and the text of the one before. */
static bool is_repeated(struct diag_state *s, const struct ast_pos *pos,
			const char *text)
{
	uint32_t offset = pos ? pos->offset : UINT32_MAX;
	bool same = s->count && s->last.offset == offset &&
		    strncmp(s->last_text, text, sizeof(s->last_text) - 1) == 0;

	s->last.offset = offset;
	snprintf(s->last_text, sizeof(s->last_text), "%s", text);
	return same;
}

int diag(struct dlang *d, const struct ast_pos *pos, const char *tag, const char *fmt,
	 ...)
{
	struct diag_state *s = &d->diag;
	struct strbuf text = {0};
	va_list ap;

	if (s->is_muted) {
		s->hint = NULL;
		return STATUS_SYNTAX;
	}
	va_start(ap, fmt);
	strbuf_vprintf(&text, fmt, ap);
	va_end(ap);
	while (text.len && text.data[text.len - 1] == '\n')
		text.data[--text.len] = '\0';
	if (!is_repeated(s, pos, text.data ? text.data : "") && s->count++ < DIAG_MAX) {
		if (s->messages->len)
			strbuf_putc(s->messages, '\0');
		put_prefix(d, pos, tag, s->messages);
		strbuf_puts(s->messages, text.data ? text.data : "");
		if (pos)
			put_excerpt(d, pos, s->messages);
		if (s->hint)
			strbuf_printf(s->messages, "\n\t%s", s->hint);
	}
	s->hint = NULL;
	strbuf_release(&text);
	return STATUS_SYNTAX;
}

void diag_hint(struct dlang *d, const char *fmt, ...)
{
	struct strbuf text = {0};
	va_list ap;

	va_start(ap, fmt);
	strbuf_vprintf(&text, fmt, ap);
	va_end(ap);
	for (size_t i = 0; i < text.len; i++)
		text.data[i] = visible(text.data[i]);
	d->diag.hint = arena_strdup(&d->arena, text.data ? text.data : "");
	strbuf_release(&text);
}

int diag_err(struct dlang *d, const struct ast_pos *pos, const struct err *e)
{
	return diag(d, pos, e->tag[0] ? e->tag : "D_UNKNOWN", "%s", e->text);
}

void diag_unsettled(struct dlang *d, const struct ast_pos *pos, const struct err *e)
{
	struct diag_state now = d->diag;

	d->diag =
		(struct diag_state){.messages = &d->unsettled, .count = d->nunsettled};
	diag_err(d, pos, e);
	d->nunsettled = d->diag.count;
	d->diag = now;
}

/* ---- late errors ---- */

struct diag_late {
	struct diag_late *next;
	struct ast_pos pos;
	enum diag_part part;
	const char *tag, *text;
};

void diag_late(struct dlang *d, const struct ast_pos *pos, const char *tag,
	       const char *fmt, ...)
{
	struct diag_state *s = &d->diag;
	struct diag_late *late = arena_alloc(&d->arena, sizeof(*late));
	struct strbuf text = {0};
	va_list ap;

	va_start(ap, fmt);
	strbuf_vprintf(&text, fmt, ap);
	va_end(ap);
	*late = (struct diag_late){
		.pos = *pos,
		.part = s->part,
		.tag = arena_strdup(&d->arena, tag),
		.text = arena_strdup(&d->arena, text.data ? text.data : ""),
	};
	strbuf_release(&text);
	if (!s->late)
		s->late_end = &s->late;
	*s->late_end = late;
	s->late_end = &late->next;
}

bool diag_has_late(const struct dlang *d)
{
	return d->diag.late != NULL;
}

void diag_flush(struct dlang *d)
{
	struct diag_state *s = &d->diag;
	enum diag_part part = s->part;

	if (s->count)
		return;
	for (const struct diag_late *l = s->late; l; l = l->next) {
		s->part = l->part;
		diag(d, &l->pos, l->tag, "%s", l->text);
	}
	s->part = part;
}

enum diag_part diag_part(struct dlang *d, enum diag_part part)
{
	enum diag_part before = d->diag.part;

	d->diag.part = part;
	return before;
}

uint32_t diag_count(const struct dlang *d)
{
	return d->diag.count;
}

const char *dlang_message(const struct strbuf *messages, const char *previous)
{
	const char *next = previous ? previous + strlen(previous) + 1 : messages->data;

	if (!messages->len || next > messages->data + messages->len)
		return NULL;
	return next;
}

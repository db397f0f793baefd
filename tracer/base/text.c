/* SPDX-License-Identifier: MIT */
#include "tracer/base/text.h"
#include "vm/base/text/decimal_point.h"
#include "vm/base/text/utf8.h"

#include <stdio.h>
#include <string.h>

size_t text_character(const char *s, size_t n)
{
	uint32_t c;
	size_t len = utf8_decode(s, n, &c);

	/* XML 1.0 has not the last two of the plane. */
	return len && !utf8_is_control(c) && !utf8_turns_text(c) && c != 0xfffe &&
			       c != 0xffff
		       ? len
		       : 0;
}

/* Appends s; instead_of() is what stands for a character of one byte, NULL itself. */
static void add(struct strbuf *to, const char *s, size_t n,
		const char *(*instead_of)(char c))
{
	const char *escape = instead_of('\\') ? instead_of('\\') : "\\";

	while (n) {
		size_t len = text_character(s, n);
		const char *other = len == 1 ? instead_of(*s) : NULL;

		if (other)
			strbuf_puts(to, other);
		else if (len)
			strbuf_add(to, s, len);
		else
			strbuf_printf(to, "%sx%02x", escape,
				      (unsigned)(unsigned char)*s);
		len = len ? len : 1;
		s += len;
		n -= len;
	}
}

static const char *in_clean(char c)
{
	(void)c;
	return NULL;
}

static const char *in_frame(char c)
{
	return c == ';' ? "," : NULL;
}

static const char *in_xml(char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

static const char *in_json(char c)
{
	if (c == '"')
		return "\\\"";
	return c == '\\' ? "\\\\" : NULL;
}

void text_add_clean(struct strbuf *to, const char *s, size_t n)
{
	add(to, s, n, in_clean);
}

void text_add_frame(struct strbuf *to, const char *s, size_t n)
{
	add(to, s, n, in_frame);
}

void text_add_xml(struct strbuf *to, const char *s, size_t n)
{
	add(to, s, n, in_xml);
}

void text_add_json(struct strbuf *to, const char *s, size_t n)
{
	add(to, s, n, in_json);
}

void text_add_escaped(struct strbuf *to, const char *s, size_t n,
		      enum text_controls controls)
{
	while (n) {
		uint32_t c;
		size_t len = utf8_decode(s, n, &c);
		bool is_kept = len > 0;

		if (is_kept && controls == TEXT_CONTROLS_ESCAPED && utf8_is_control(c))
			is_kept = c == '\n' || c == '\t';
		if (is_kept && controls == TEXT_CONTROLS_ESCAPED && utf8_turns_text(c))
			is_kept = false;
		if (n > 1 && s[0] == '\\' && s[1] == 'x')
			is_kept = false;
		len = len ? len : 1;
		if (is_kept)
			strbuf_add(to, s, len);
		for (size_t i = 0; i < len && !is_kept; i++)
			strbuf_printf(to, "\\x%02x", (unsigned)(unsigned char)s[i]);
		s += len;
		n -= len;
	}
}

void text_add_hex(struct strbuf *to, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		strbuf_printf(to, "%02x", (unsigned)(unsigned char)s[i]);
}

void text_add_real(struct strbuf *to, long double x)
{
	char text[64];

	snprintf(text, sizeof(text), "%.17Lg", x);
	decimal_point_set(text);
	strbuf_puts(to, text);
}

/* SPDX-License-Identifier: MIT */
#include "tracer/base/text.h"

/* The length of a sequence by its first byte; 0: no sequence begins with it. */
static size_t sequence_length(unsigned char c)
{
	if (c < 0x80)
		return 1;
	if (c < 0xc2)
		return 0;
	if (c < 0xe0)
		return 2;
	if (c < 0xf0)
		return 3;
	return c < 0xf5 ? 4 : 0;
}

/* Whether XML 1.0 and UTF-8 have the character, and it has no effect on a terminal. */
static bool is_shown(uint32_t c, size_t len)
{
	static const uint32_t least[] = {0, 0x20, 0x80, 0x800, 0x10000};

	if (c < least[len] || c > 0x10ffff)
		return false;
	if (c >= 0x7f && c < 0xa0)
		return false;
	return (c < 0xd800 || c > 0xdfff) && c != 0xfffe && c != 0xffff;
}

size_t text_character(const char *s, size_t n)
{
	size_t len = n ? sequence_length((unsigned char)s[0]) : 0;
	uint32_t c;

	if (!len || len > n)
		return 0;
	c = len == 1 ? (unsigned char)s[0] : (unsigned char)s[0] & 0x7fu >> len;
	for (size_t i = 1; i < len; i++) {
		if (((unsigned char)s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | ((unsigned char)s[i] & 0x3f);
	}
	return is_shown(c, len) ? len : 0;
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

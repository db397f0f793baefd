/* SPDX-License-Identifier: MIT */
#include "tracer/export/escape.h"

static bool is_tail(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

/*
 * The length of the valid sequence at p, 0 if there is none: Unicode 15, table 3-7. The
 * second byte of some is limited: no overlong form, no surrogate, nothing past U+10FFFF.
 */
static size_t sequence(const unsigned char *p, size_t n)
{
	size_t len = *p < 0x80	 ? 1
		     : *p < 0xc2 ? 0
		     : *p < 0xe0 ? 2
		     : *p < 0xf0 ? 3
		     : *p < 0xf5 ? 4
				 : 0;

	if (len > n)
		return 0;
	for (size_t i = 1; i < len; i++)
		if (!is_tail(p[i]))
			return 0;
	if ((*p == 0xe0 && p[1] < 0xa0) || (*p == 0xed && p[1] > 0x9f) ||
	    (*p == 0xf0 && p[1] < 0x90) || (*p == 0xf4 && p[1] > 0x8f))
		return 0;
	return len;
}

/* A control character: C0 but for newline and tab, DEL, and C1 (U+0080 to U+009F). */
static bool is_control(const unsigned char *p, size_t len)
{
	if (len == 1)
		return (*p < 0x20 && *p != '\n' && *p != '\t') || *p == 0x7f;
	return len == 2 && *p == 0xc2 && p[1] < 0xa0;
}

void escape_add(struct strbuf *to, const char *bytes, size_t n,
		enum escape_controls controls)
{
	const unsigned char *p = (const unsigned char *)bytes, *end = p + n;

	while (p < end) {
		size_t len = sequence(p, (size_t)(end - p));
		bool is_kept = len > 0;

		if (controls == ESCAPE_CONTROLS && is_kept && is_control(p, len))
			is_kept = false;
		if (*p == '\\' && p + 1 < end && p[1] == 'x')
			is_kept = false;
		len = len ? len : 1;
		if (is_kept)
			strbuf_add(to, p, len);
		for (size_t i = 0; i < len && !is_kept; i++)
			strbuf_printf(to, "\\x%02x", p[i]);
		p += len;
	}
}

void escape_hex(struct strbuf *to, const char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		strbuf_printf(to, "%02x", (unsigned char)bytes[i]);
}

/* SPDX-License-Identifier: MIT */
#include "vm/base/text/shown.h"
#include "vm/base/text/utf8.h"

/* The length of the character that s[0..n) begins with, 0 if it is escaped. */
static size_t plain_character(const char *s, size_t n, enum shown how)
{
	uint32_t c;
	size_t len = utf8_decode(s, n, &c);

	/* A terminal may take a byte of no sequence for a C1 character. */
	if (!len)
		return (unsigned char)*s >= 0xa0;
	if (how == SHOWN_TEXT && (c == '\n' || c == '\t'))
		return len;
	return utf8_is_control(c) || utf8_turns_text(c) ? 0 : len;
}

size_t shown_plain(const char *s, size_t n, enum shown how)
{
	size_t i = 0, len;

	while (i < n) {
		if (s[i] >= ' ' && s[i] <= '~') {
			i++;
			continue;
		}
		len = plain_character(s + i, n - i, how);
		if (!len)
			break;
		i += len;
	}
	return i;
}

size_t shown_hidden(const char *s, size_t n)
{
	uint32_t c;
	size_t len = utf8_decode(s, n, &c);

	return len ? len : 1;
}

void shown_escape(char to[SHOWN_ESCAPE], char byte)
{
	unsigned char c = (unsigned char)byte;

	to[0] = '\\';
	to[1] = (char)('0' + (c >> 6));
	to[2] = (char)('0' + (c >> 3 & 7));
	to[3] = (char)('0' + (c & 7));
}

void shown_add(struct strbuf *to, const char *s, size_t n, enum shown how)
{
	char escape[SHOWN_ESCAPE];

	strbuf_puts(to, "");
	while (n) {
		size_t plain = shown_plain(s, n, how), hidden = 0;

		strbuf_add(to, s, plain);
		if (plain < n)
			hidden = shown_hidden(s + plain, n - plain);
		for (size_t i = 0; i < hidden; i++) {
			shown_escape(escape, s[plain + i]);
			strbuf_add(to, escape, sizeof(escape));
		}
		s += plain + hidden;
		n -= plain + hidden;
	}
}

void shown_vprintf(FILE *to, const char *fmt, va_list ap)
{
	struct strbuf text = {0}, shown = {0};

	strbuf_vprintf(&text, fmt, ap);
	shown_add(&shown, text.data, text.len, SHOWN_TEXT);
	fwrite(shown.data, 1, shown.len, to);
	strbuf_release(&text);
	strbuf_release(&shown);
}

void shown_printf(FILE *to, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	shown_vprintf(to, fmt, ap);
	va_end(ap);
}

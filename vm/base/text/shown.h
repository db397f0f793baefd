/* SPDX-License-Identifier: MIT */
/*
 * Text of others on a terminal. A file or a traced process chooses the names in it: what
 * moves the cursor, changes colours, the title or the direction of writing is shown as
 * \NNN, three octal digits for each byte, and does nothing. All other text stays as it
 * is, byte for byte.
 */
#ifndef VM_BASE_TEXT_SHOWN_H
#define VM_BASE_TEXT_SHOWN_H

#include "vm/base/host/strbuf.h"
#include <stdio.h>

enum shown {
	SHOWN_NAME, /* in one line: newline and tab are escaped as well */
	SHOWN_TEXT, /* newline and tab stay */
};

#define SHOWN_ESCAPE 4 /* characters of an escaped byte */

/* How many bytes at the beginning of s[0..n) are shown as they are. */
size_t shown_plain(const char *s, size_t n, enum shown how);
/*
 * What s[0..n) begins with if that is escaped: how many bytes, 1 to 4. n is not 0, and
 * shown_plain() has returned 0.
 */
size_t shown_hidden(const char *s, size_t n);
/* The escape of one byte; not terminated. */
void shown_escape(char to[SHOWN_ESCAPE], char byte);

/* The three for a whole text. */
void shown_add(struct strbuf *to, const char *s, size_t n, enum shown how);
/* Formats SHOWN_TEXT to a file of stdio. */
void shown_printf(FILE *to, const char *fmt, ...) ATTR_PRINTF(2, 3);
void shown_vprintf(FILE *to, const char *fmt, va_list ap) ATTR_PRINTF(2, 0);

#endif

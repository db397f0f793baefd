/* SPDX-License-Identifier: MIT */
/*
 * Growing text (or bytes). data is always terminated and never NULL after
 * the first call. A zeroed struct is empty and ready.
 */
#ifndef VM_BASE_HOST_STRBUF_H
#define VM_BASE_HOST_STRBUF_H

#include "vm/base/base.h"
#include <stdarg.h>

struct strbuf {
	char *data;
	size_t len, cap;
};

void strbuf_release(struct strbuf *b);
void strbuf_reset(struct strbuf *b);	       /* empties, keeps the memory */
void strbuf_cut(struct strbuf *b, size_t len); /* to at most len bytes */
void strbuf_add(struct strbuf *b, const void *p, size_t n);
void strbuf_puts(struct strbuf *b, const char *s);
void strbuf_putc(struct strbuf *b, char c);
void strbuf_pad(struct strbuf *b, char c, size_t n);
void strbuf_printf(struct strbuf *b, const char *fmt, ...) ATTR_PRINTF(2, 3);
void strbuf_vprintf(struct strbuf *b, const char *fmt, va_list ap) ATTR_PRINTF(2, 0);

#endif

/* SPDX-License-Identifier: MIT */
#include "vm/base/host/strbuf.h"
#include "vm/base/host/oom.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void reserve(struct strbuf *b, size_t n)
{
	size_t want = b->len + n + 1;

	if (want <= b->cap)
		return;
	b->cap = max_u64(want, b->cap * 2);
	b->data = oom_realloc(b->data, b->cap);
}

void strbuf_release(struct strbuf *b)
{
	free(b->data);
	*b = (struct strbuf){0};
}

void strbuf_reset(struct strbuf *b)
{
	reserve(b, 0);
	b->len = 0;
	b->data[0] = '\0';
}

void strbuf_cut(struct strbuf *b, size_t len)
{
	if (len >= b->len)
		return;
	b->len = len;
	b->data[len] = '\0';
}

void strbuf_add(struct strbuf *b, const void *p, size_t n)
{
	reserve(b, n);
	if (n)
		memcpy(b->data + b->len, p, n);
	b->len += n;
	b->data[b->len] = '\0';
}

void strbuf_puts(struct strbuf *b, const char *s)
{
	strbuf_add(b, s, strlen(s));
}

void strbuf_putc(struct strbuf *b, char c)
{
	strbuf_add(b, &c, 1);
}

void strbuf_pad(struct strbuf *b, char c, size_t n)
{
	reserve(b, n);
	memset(b->data + b->len, c, n);
	b->len += n;
	b->data[b->len] = '\0';
}

void strbuf_vprintf(struct strbuf *b, const char *fmt, va_list ap)
{
	va_list again;
	int n;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, ap);
	reserve(b, (size_t)n);
	vsnprintf(b->data + b->len, (size_t)n + 1, fmt, again);
	va_end(again);
	b->len += (size_t)n;
}

void strbuf_printf(struct strbuf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	strbuf_vprintf(b, fmt, ap);
	va_end(ap);
}

/* SPDX-License-Identifier: MIT */
#include "vm/base/bytes.h"

/* From this length on the processor's own copy beats a loop of words. */
#define BYTES_REP_MIN 512

/* Eight bytes at any alignment, of any type. */
struct word {
	uint64_t v;
} __attribute__((packed, may_alias));

struct half {
	uint32_t v;
} __attribute__((packed, may_alias));

static inline uint32_t load_half(const unsigned char *p)
{
	return ((const struct half *)p)->v;
}

static inline void store_half(unsigned char *p, uint32_t v)
{
	((struct half *)p)->v = v;
}

static inline uint64_t load_word(const unsigned char *p)
{
	return ((const struct word *)p)->v;
}

static inline void store_word(unsigned char *p, uint64_t v)
{
	((struct word *)p)->v = v;
}

void bytes_copy(void *dst, const void *src, size_t n)
{
	unsigned char *d = dst;
	const unsigned char *s = src;

	if (n >= BYTES_REP_MIN) {
		__asm__ volatile("rep movsb" : "+D"(d), "+S"(s), "+c"(n) : : "memory");
		return;
	}
	for (; n >= 8; n -= 8, d += 8, s += 8)
		store_word(d, load_word(s));
	if (n >= 4) {
		store_half(d, load_half(s));
		n -= 4, d += 4, s += 4;
	}
	while (n--)
		*d++ = *s++;
}

void bytes_move(void *dst, const void *src, size_t n)
{
	unsigned char *d = dst;
	const unsigned char *s = src;

	if (d <= s || d - s >= (ptrdiff_t)n) {
		bytes_copy(dst, src, n);
		return;
	}
	while (n-- > 0)
		d[n] = s[n];
}

void bytes_zero(void *dst, size_t n)
{
	unsigned char *d = dst;

	if (n >= BYTES_REP_MIN) {
		__asm__ volatile("rep stosb" : "+D"(d), "+c"(n) : "a"(0) : "memory");
		return;
	}
	for (; n >= 8; n -= 8, d += 8)
		store_word(d, 0);
	while (n--)
		*d++ = 0;
}

int bytes_compare(const void *a, const void *b, size_t n)
{
	const unsigned char *x = a, *y = b;

	for (; n >= 8 && load_word(x) == load_word(y); n -= 8, x += 8, y += 8)
		;
	for (; n; n--, x++, y++)
		if (*x != *y)
			return *x < *y ? -1 : 1;
	return 0;
}

uint64_t bytes_load(const void *p, size_t size)
{
	const unsigned char *b = p;
	uint64_t v = 0;

	if (size == 8)
		return load_word(b);
	if (size == 4)
		return load_half(b);
	while (size--)
		v = v << 8 | b[size];
	return v;
}

void bytes_store(void *p, uint64_t v, size_t size)
{
	unsigned char *b = p;

	if (size == 8) {
		store_word(b, v);
		return;
	}
	if (size == 4) {
		store_half(b, (uint32_t)v);
		return;
	}
	for (; size--; v >>= 8)
		*b++ = (unsigned char)v;
}

/* SPDX-License-Identifier: MIT */
#include "vm/base/fmt.h"
#include "vm/base/status.h"

/* The decimal digits of v, which has n. */
static void put_decimal(char *buf, uint64_t v, size_t n)
{
	static const char pairs[] = "00010203040506070809"
				    "10111213141516171819"
				    "20212223242526272829"
				    "30313233343536373839"
				    "40414243444546474849"
				    "50515253545556575859"
				    "60616263646566676869"
				    "70717273747576777879"
				    "80818283848586878889"
				    "90919293949596979899";

	for (; n >= 2; n -= 2) {
		unsigned pair = (unsigned)(v % 100) * 2;

		buf[n - 1] = pairs[pair + 1];
		buf[n - 2] = pairs[pair];
		v /= 100;
	}
	if (n)
		buf[0] = (char)('0' + v % 10);
}

static size_t count_decimal(uint64_t v)
{
	size_t n = 1;

	for (; v >= 10000; v /= 10000)
		n += 4;
	return n + (v >= 10) + (v >= 100) + (v >= 1000);
}

/* In a base that is not 10. */
static size_t put_digits(char *buf, uint64_t v, unsigned base)
{
	char rev[FMT_MAX];
	size_t n = 0;

	do {
		unsigned d = (unsigned)(v % base);

		rev[n++] = (char)(d < 10 ? '0' + d : 'a' + (d - 10));
		v /= base;
	} while (v);
	for (size_t i = 0; i < n; i++)
		buf[i] = rev[n - 1 - i];
	return n;
}

size_t fmt_u64(char *buf, uint64_t v, unsigned base)
{
	size_t n;

	if (base == 10) {
		n = count_decimal(v);
		put_decimal(buf, v, n);
	} else {
		n = put_digits(buf, v, base);
	}
	buf[n] = '\0';
	return n;
}

size_t fmt_i64(char *buf, int64_t v)
{
	if (v >= 0)
		return fmt_u64(buf, (uint64_t)v, 10);
	buf[0] = '-';
	return 1 + fmt_u64(buf + 1, 0 - (uint64_t)v, 10);
}

unsigned fmt_digit(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	if (c >= 'a' && c <= 'z')
		return (unsigned)(c - 'a') + 10;
	if (c >= 'A' && c <= 'Z')
		return (unsigned)(c - 'A') + 10;
	return 255;
}

int fmt_parse_u64(const char *s, size_t n, unsigned base, uint64_t *out)
{
	uint64_t v = 0;

	if (n == 0)
		return STATUS_INVAL;
	for (size_t i = 0; i < n; i++) {
		unsigned d = fmt_digit(s[i]);

		if (d >= base)
			return STATUS_INVAL;
		if (__builtin_mul_overflow(v, base, &v) ||
		    __builtin_add_overflow(v, d, &v))
			return STATUS_RANGE;
	}
	*out = v;
	return 0;
}

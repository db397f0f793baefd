/* SPDX-License-Identifier: MIT */
/*
 * Numbers: their text, chance, the order of their bytes.
 */
#include "vm/base/fmt.h"
#include "vm/base/hash.h"
#include "vm/subr/text.h"

#define BASE_MIN 2
#define BASE_MAX 36

/* The optional base argument; false: there is no such base. */
static bool take_base(const uint64_t *args, unsigned n, unsigned *base)
{
	*base = 10;
	if (n < 2)
		return true;
	*base = (unsigned)args[1];
	return *base >= BASE_MIN && *base <= BASE_MAX;
}

enum fault subr_lltostr(struct firing *f, const uint64_t *args, unsigned n,
			uint64_t *out)
{
	char buf[FMT_MAX + 2];
	unsigned base;
	size_t len = 0;

	if (!take_base(args, n, &base))
		return FAULT_ILLOP;
	if (base == 16 || (base == 8 && args[0]))
		buf[len++] = '0';
	if (base == 16)
		buf[len++] = 'x';
	if (base == 10)
		len = fmt_i64(buf, (int64_t)args[0]);
	else
		len += fmt_u64(buf + len, args[0], base);
	return text_return(f, buf, len, out);
}

static char char_at(const struct text *s, uint32_t i)
{
	return i < s->len ? s->s[i] : '\0';
}

enum fault subr_strtoll(struct firing *f, const uint64_t *args, unsigned n,
			uint64_t *out)
{
	uint64_t value = 0;
	uint32_t i = 0;
	bool is_minus;
	unsigned base;
	struct text s;
	enum fault fault;

	if (!take_base(args, n, &base))
		return FAULT_ILLOP;
	fault = text_take(f, args[0], &s);
	if (fault != FAULT_NONE)
		return fault;
	while (char_at(&s, i) == ' ' || char_at(&s, i) == '\t')
		i++;
	is_minus = char_at(&s, i) == '-';
	if (is_minus || char_at(&s, i) == '+')
		i++;
	if (base == 16 && char_at(&s, i) == '0' && (char_at(&s, i + 1) | ' ') == 'x')
		i += 2;
	for (; fmt_digit(char_at(&s, i)) < base; i++)
		value = value * base + fmt_digit(s.s[i]);
	*out = is_minus ? 0 - value : value;
	return FAULT_NONE;
}

/*
 * Starts from the firing's time and thread: no two firings have the same numbers, but one
 * that is replayed from a recording.
 */
enum fault subr_rand(struct firing *f, const uint64_t *args, unsigned n, uint64_t *out)
{
	(void)args;
	(void)n;
	if (!f->chance)
		f->chance = hash_u64(builtin_clock(f) ^ hash_u64(f->vm->tid));
	f->chance = hash_u64(f->chance + 1);
	*out = f->chance >> 33; /* an int, never negative */
	return FAULT_NONE;
}

/* ---- the order of bytes: the machine's is little-endian ---- */

static enum fault swap16(const uint64_t *args, uint64_t *out)
{
	*out = __builtin_bswap16((uint16_t)args[0]);
	return FAULT_NONE;
}

static enum fault swap32(const uint64_t *args, uint64_t *out)
{
	*out = __builtin_bswap32((uint32_t)args[0]);
	return FAULT_NONE;
}

static enum fault swap64(const uint64_t *args, uint64_t *out)
{
	*out = __builtin_bswap64(args[0]);
	return FAULT_NONE;
}

enum fault subr_htons(struct firing *f, const uint64_t *args, unsigned n, uint64_t *out)
{
	(void)f;
	(void)n;
	return swap16(args, out);
}

enum fault subr_ntohs(struct firing *f, const uint64_t *args, unsigned n, uint64_t *out)
{
	(void)f;
	(void)n;
	return swap16(args, out);
}

enum fault subr_htonl(struct firing *f, const uint64_t *args, unsigned n, uint64_t *out)
{
	(void)f;
	(void)n;
	return swap32(args, out);
}

enum fault subr_ntohl(struct firing *f, const uint64_t *args, unsigned n, uint64_t *out)
{
	(void)f;
	(void)n;
	return swap32(args, out);
}

enum fault subr_htonll(struct firing *f, const uint64_t *args, unsigned n,
		       uint64_t *out)
{
	(void)f;
	(void)n;
	return swap64(args, out);
}

enum fault subr_ntohll(struct firing *f, const uint64_t *args, unsigned n,
		       uint64_t *out)
{
	(void)f;
	(void)n;
	return swap64(args, out);
}

/* ---- device numbers ---- */

#define MINOR_BITS 20
#define MAJOR_MASK 0xfffu

enum fault subr_getmajor(struct firing *f, const uint64_t *args, unsigned n,
			 uint64_t *out)
{
	(void)f;
	(void)n;
	*out = args[0] >> MINOR_BITS & MAJOR_MASK;
	return FAULT_NONE;
}

enum fault subr_getminor(struct firing *f, const uint64_t *args, unsigned n,
			 uint64_t *out)
{
	(void)f;
	(void)n;
	*out = args[0] & ((1u << MINOR_BITS) - 1);
	return FAULT_NONE;
}

/* SPDX-License-Identifier: MIT */
/*
 * Texts of network addresses, which are in network byte order in tracer memory.
 */
#include "vm/base/bytes.h"
#include "vm/base/fmt.h"
#include "vm/subr/text.h"

#define V4_BYTES 4
#define V6_BYTES 16
#define V6_WORDS 8

/* Numbers of Linux: <sys/socket.h>, <net/if_arp.h>. */
#define FAMILY_INET6	10
#define FAMILY_INET	2
#define LINK_ETHER	1
#define LINK_INFINIBAND 32

/* Longest: eight words and a dotted quad behind "::ffff:". */
#define ADDRESS_MAX 64

static void put_number(struct text_new *t, unsigned v, unsigned base)
{
	char buf[FMT_MAX];

	text_append(t, buf, fmt_u64(buf, v, base));
}

static void put_v4(struct text_new *t, const unsigned char *p)
{
	for (unsigned i = 0; i < V4_BYTES; i++) {
		if (i)
			text_append(t, ".", 1);
		put_number(t, p[i], 10);
	}
}

/* An IPv4 address inside: behind zeros alone, or zeros and ffff. */
static bool is_mapped(const unsigned char *p)
{
	return bytes_load(p, 8) == 0 && bytes_load(p + 8, 4) == 0xffff0000;
}

/* "::" and "::1" are no such addresses. */
static bool is_compatible(const unsigned char *p)
{
	return bytes_load(p, 8) == 0 && bytes_load(p + 8, 4) == 0 &&
	       __builtin_bswap32((uint32_t)bytes_load(p + 12, 4)) > 1;
}

struct run {
	unsigned at, n;
};

/* The longest run of zero words, the first of several; none of a single word. */
static struct run longest_zeros(const unsigned char *p)
{
	struct run best = {0, 1}, now = {0, 0};

	for (unsigned i = 0; i < V6_WORDS; i++) {
		if (bytes_load(p + 2 * (size_t)i, 2)) {
			now = (struct run){i + 1, 0};
			continue;
		}
		now.n++;
		if (now.n > best.n)
			best = now;
	}
	return best.n > 1 ? best : (struct run){V6_WORDS, 0};
}

static void put_v6(struct text_new *t, const unsigned char *p)
{
	struct run zeros = longest_zeros(p);

	for (unsigned i = 0; i < V6_WORDS; i++) {
		if (i == zeros.at) {
			text_append(t, "::", 2);
			i += zeros.n - 1;
			continue;
		}
		if (i && i != zeros.at + zeros.n)
			text_append(t, ":", 1);
		put_number(t, (unsigned)p[2 * i] << 8 | p[2 * i + 1], 16);
	}
}

static void put_v6_or_v4(struct text_new *t, const unsigned char *p)
{
	if (is_mapped(p))
		text_append(t, "::ffff:", 7);
	else if (is_compatible(p))
		text_append(t, "::", 2);
	else
		put_v6(t, p);
	if (is_mapped(p) || is_compatible(p))
		put_v4(t, p + V6_BYTES - V4_BYTES);
}

/* Bytes as two hexadecimal digits each. */
static void put_link(struct text_new *t, const unsigned char *p, unsigned n)
{
	static const char digits[] = "0123456789abcdef";

	for (unsigned i = 0; i < n; i++) {
		const char pair[] = {':', digits[p[i] >> 4], digits[p[i] & 15]};

		text_append(t, i ? pair : pair + 1, i ? 3 : 2);
	}
}

enum style {
	STYLE_V4,
	STYLE_V6_PLAIN,	 /* a contained IPv4 address is printed alone */
	STYLE_V6_STRICT, /* a mapped one only */
	STYLE_V6,
	STYLE_ETHER,
	STYLE_INFINIBAND,
};

/* An IPv4 address alone; strict: a compatible one is told from a mapped one. */
static void put_v6_plain(struct text_new *t, const unsigned char *p, bool strict)
{
	if (!is_mapped(p) && !is_compatible(p)) {
		put_v6(t, p);
		return;
	}
	if (strict && is_compatible(p))
		text_append(t, "::", 2);
	put_v4(t, p + V6_BYTES - V4_BYTES);
}

static void put_address(struct text_new *t, enum style style, const unsigned char *p)
{
	switch (style) {
	case STYLE_V4:
		put_v4(t, p);
		break;
	case STYLE_V6_PLAIN:
	case STYLE_V6_STRICT:
		put_v6_plain(t, p, style == STYLE_V6_STRICT);
		break;
	case STYLE_V6:
		put_v6_or_v4(t, p);
		break;
	case STYLE_ETHER:
		put_link(t, p, 6);
		break;
	case STYLE_INFINIBAND:
		put_link(t, p, 20);
		break;
	}
}

static enum fault address_text(struct firing *f, enum style style, uint64_t addr,
			       uint64_t *out)
{
	static const uint8_t sizes[] = {4, 16, 16, 16, 6, 20};
	const unsigned char *bytes;
	unsigned char copy[20];
	struct text_new t;
	enum fault fault = memory_bytes(f, addr, sizes[style], &bytes);

	if (fault == FAULT_NONE)
		fault = text_begin(f, ADDRESS_MAX, &t);
	if (fault != FAULT_NONE)
		return fault;
	bytes_copy(copy, bytes, sizes[style]); /* looked at more than once */
	put_address(&t, style, copy);
	*out = text_end(f, &t);
	return FAULT_NONE;
}

enum fault subr_inet_ntoa(struct firing *f, const uint64_t *args, unsigned n,
			  uint64_t *out)
{
	(void)n;
	return address_text(f, STYLE_V4, args[0], out);
}

enum fault subr_inet_ntoa6(struct firing *f, const uint64_t *args, unsigned n,
			   uint64_t *out)
{
	bool strict = n > 1 && args[1];

	return address_text(f, strict ? STYLE_V6_STRICT : STYLE_V6_PLAIN, args[0], out);
}

enum fault subr_inet_ntop(struct firing *f, const uint64_t *args, unsigned n,
			  uint64_t *out)
{
	(void)n;
	if (args[0] == FAMILY_INET)
		return address_text(f, STYLE_V4, args[1], out);
	if (args[0] == FAMILY_INET6)
		return address_text(f, STYLE_V6, args[1], out);
	return FAULT_ILLOP;
}

enum fault subr_link_ntop(struct firing *f, const uint64_t *args, unsigned n,
			  uint64_t *out)
{
	(void)n;
	if (args[0] == LINK_ETHER)
		return address_text(f, STYLE_ETHER, args[1], out);
	if (args[0] == LINK_INFINIBAND)
		return address_text(f, STYLE_INFINIBAND, args[1], out);
	return FAULT_ILLOP;
}

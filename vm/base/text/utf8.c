/* SPDX-License-Identifier: MIT */
#include "vm/base/text/utf8.h"

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

size_t utf8_decode(const char *s, size_t n, uint32_t *c)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t len = n ? sequence_length((unsigned char)s[0]) : 0;

	if (!len || len > n)
		return 0;
	*c = len == 1 ? (unsigned char)s[0] : (unsigned char)s[0] & 0x7fu >> len;
	for (size_t i = 1; i < len; i++) {
		if (((unsigned char)s[i] & 0xc0) != 0x80)
			return 0;
		*c = *c << 6 | ((unsigned char)s[i] & 0x3f);
	}
	if (*c < least[len] || *c > 0x10ffff || (*c >= 0xd800 && *c <= 0xdfff))
		return 0;
	return len;
}

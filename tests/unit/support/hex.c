/* SPDX-License-Identifier: MIT */
#include "tests/unit/support/hex.h"

size_t hex_bytes(const char *text, uint8_t *out, size_t cap)
{
	size_t n = 0;
	char *end;

	while (n < cap) {
		unsigned long v = strtoul(text, &end, 16);

		if (end == text)
			break;
		out[n++] = (uint8_t)v;
		text = end;
	}
	return n;
}

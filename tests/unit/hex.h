/* SPDX-License-Identifier: MIT */
/* Instruction bytes as the tests write them: "48 8d 05 00 01 00 00". */
#ifndef TESTS_UNIT_HEX_H
#define TESTS_UNIT_HEX_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Returns the number of bytes written to out, at most cap. */
static inline size_t hex_bytes(const char *text, uint8_t *out, size_t cap)
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

#endif

/* SPDX-License-Identifier: MIT */
#ifndef VM_BASE_TEXT_UTF8_H
#define VM_BASE_TEXT_UTF8_H

#include "vm/base/base.h"

/*
 * The length of the well-formed sequence that s[0..n) begins with, and its character:
 * the shortest form, no surrogate, nothing past U+10FFFF. 0 if there is none.
 */
size_t utf8_decode(const char *s, size_t n, uint32_t *c);

/* C0, DEL and C1. */
static inline bool utf8_is_control(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0);
}

/* Characters that change the direction of what follows, and separators of lines. */
static inline bool utf8_turns_text(uint32_t c)
{
	return c == 0x061c || c == 0x200e || c == 0x200f ||
	       (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

#endif

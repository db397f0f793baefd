/* SPDX-License-Identifier: MIT */
/*
 * Bounded strings without libc: no function reads or writes past its limit.
 */
#ifndef VM_BASE_STR_H
#define VM_BASE_STR_H

#include "vm/base/base.h"

/* Length of s, at most max; s need not be terminated within max. */
size_t str_len(const char *s, size_t max);
/*
 * Copies s to dst of cap bytes (cap > 0), cut if needed, always terminated.
 * Returns the number of bytes before the terminator.
 */
size_t str_copy(char *dst, size_t cap, const char *s);
/* Whether s ends with end; both are terminated. */
bool str_has_end(const char *s, const char *end);

#endif

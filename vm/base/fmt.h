/* SPDX-License-Identifier: MIT */
/*
 * Numbers to text and back, without stdio or locale.
 */
#ifndef VM_BASE_FMT_H
#define VM_BASE_FMT_H

#include "vm/base/base.h"

/* Large enough for 64 binary digits, a sign and the terminator. */
#define FMT_MAX 66

/* v in base 2..36 into buf[FMT_MAX]; terminated; returns the length. */
size_t fmt_u64(char *buf, uint64_t v, unsigned base);
size_t fmt_i64(char *buf, int64_t v);
/* The value of a digit of the bases up to 36; more than that of none. */
unsigned fmt_digit(char c);
/*
 * Parses all n bytes of s as a number of the base (2..36), no sign, no
 * prefix. Returns 0, STATUS_INVAL for a foreign character or n = 0, or
 * STATUS_RANGE if it does not fit.
 */
int fmt_parse_u64(const char *s, size_t n, unsigned base, uint64_t *out);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Memory without libc: the resident code has none, and the machine is the
 * same source in every execution context. Hosted code may use <string.h> instead.
 */
#ifndef VM_BASE_BYTES_H
#define VM_BASE_BYTES_H

#include "vm/base/base.h"

void bytes_copy(void *dst, const void *src, size_t n);
/* The same where the two may overlap. */
void bytes_move(void *dst, const void *src, size_t n);
void bytes_zero(void *dst, size_t n);
/* <0, 0, >0 as memcmp(3). */
int bytes_compare(const void *a, const void *b, size_t n);

/* Little-endian value of 1, 2, 4 or 8 bytes at any alignment. */
uint64_t bytes_load(const void *p, size_t size);
void bytes_store(void *p, uint64_t v, size_t size);

#endif

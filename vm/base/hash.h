/* SPDX-License-Identifier: MIT */
/*
 * One hash for tables of every execution context. Not for tables that untrusted
 * data can let grow without a bound.
 */
#ifndef VM_BASE_HASH_H
#define VM_BASE_HASH_H

#include "vm/base/base.h"

/* Never 0, so that 0 can mean an empty entry. */
uint64_t hash_bytes(const void *p, size_t n, uint64_t seed);
uint64_t hash_u64(uint64_t v);

#endif

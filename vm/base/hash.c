/* SPDX-License-Identifier: MIT */
/*
 * FNV-1a folded 8 bytes at a time, finished with the mixing step of
 * splitmix64: good enough for tables, a few nanoseconds for a short key.
 */
#include "vm/base/hash.h"
#include "vm/base/bytes.h"

/* Of any alignment and type. */
struct word {
	uint64_t v;
} __attribute__((packed, may_alias));

#define HASH_PRIME UINT64_C(0x100000001b3)
#define HASH_BASIS UINT64_C(0xcbf29ce484222325)

uint64_t hash_u64(uint64_t v)
{
	v ^= v >> 30;
	v *= UINT64_C(0xbf58476d1ce4e5b9);
	v ^= v >> 27;
	v *= UINT64_C(0x94d049bb133111eb);
	v ^= v >> 31;
	return v ? v : 1;
}

uint64_t hash_bytes(const void *p, size_t n, uint64_t seed)
{
	const unsigned char *b = p;
	uint64_t h = HASH_BASIS ^ seed;

	for (; n >= 8; n -= 8, b += 8)
		h = (h ^ ((const struct word *)(const void *)b)->v) * HASH_PRIME;
	if (n)
		h = (h ^ bytes_load(b, n)) * HASH_PRIME;
	return hash_u64(h ^ n);
}

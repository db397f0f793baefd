/* SPDX-License-Identifier: MIT */
/*
 * FNV-1a folded 8 bytes at a time, finished with the mixing step of
 * splitmix64: good enough for tables, a few nanoseconds for a short key. Each step waits
 * for the product of the one before: the words of a long key take turns in two chains.
 */
#include "vm/base/hash.h"
#include "vm/base/bytes.h"

/* Of any alignment and type. */
struct word {
	uint64_t v;
} __attribute__((packed, may_alias));

#define HASH_PRIME UINT64_C(0x100000001b3)
#define HASH_BASIS UINT64_C(0xcbf29ce484222325)
#define HASH_LONG  32 /* bytes of a long key */

uint64_t hash_u64(uint64_t v)
{
	v ^= v >> 30;
	v *= UINT64_C(0xbf58476d1ce4e5b9);
	v ^= v >> 27;
	v *= UINT64_C(0x94d049bb133111eb);
	v ^= v >> 31;
	return v ? v : 1;
}

static inline uint64_t word_at(const unsigned char *b)
{
	return ((const struct word *)(const void *)b)->v;
}

uint64_t hash_bytes(const void *p, size_t n, uint64_t seed)
{
	const unsigned char *b = p;
	uint64_t h = HASH_BASIS ^ seed;

	if (n >= HASH_LONG) {
		uint64_t other = ~h;

		for (; n >= 16; n -= 16, b += 16) {
			h = (h ^ word_at(b)) * HASH_PRIME;
			other = (other ^ word_at(b + 8)) * HASH_PRIME;
		}
		h = (h ^ (other >> 32 | other << 32)) * HASH_PRIME;
	}
	for (; n >= 8; n -= 8, b += 8)
		h = (h ^ word_at(b)) * HASH_PRIME;
	if (n)
		h = (h ^ bytes_load(b, n)) * HASH_PRIME;
	return hash_u64(h ^ n);
}

/* SPDX-License-Identifier: MIT */
/*
 * Words of 8 bytes are multiplied by a factor that depends on the seed; both halves of
 * the product count, so that every bit of a word reaches every bit of the hash. Each
 * product waits for the one before: the words of a long key take turns in two chains.
 * The mixing step of splitmix64 is last.
 *
 * Who does not know the seed cannot make up keys with equal hashes.
 */
#include "vm/base/hash.h"
#include "vm/base/bytes.h"

/* Of any alignment and type. */
struct word {
	uint64_t v;
} __attribute__((packed, may_alias));

__extension__ typedef unsigned __int128 uint128;

#define HASH_FACTOR UINT64_C(0x9e3779b97f4a7c15)
#define HASH_BASIS  UINT64_C(0xcbf29ce484222325)
#define HASH_LONG   32 /* bytes of a long key */

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

static inline uint64_t fold(uint64_t h, uint64_t word, uint64_t factor)
{
	uint128 product = (uint128)(h ^ word) * factor;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

uint64_t hash_bytes(const void *p, size_t n, uint64_t seed)
{
	const unsigned char *b = p;
	const uint64_t factor = (HASH_FACTOR ^ seed) | 1;
	uint64_t h = HASH_BASIS ^ seed;

	if (n >= HASH_LONG) {
		uint64_t other = ~h;

		for (; n >= 16; n -= 16, b += 16) {
			h = fold(h, word_at(b), factor);
			other = fold(other, word_at(b + 8), factor);
		}
		h = fold(h, other << 32 | other >> 32, factor);
	}
	for (; n >= 8; n -= 8, b += 8)
		h = fold(h, word_at(b), factor);
	if (n)
		h = fold(h, bytes_load(b, n), factor);
	return hash_u64(h ^ n);
}

/* SPDX-License-Identifier: MIT */
#include "tracer/usdt/search.h"
#include "vm/base/hash.h"
#include "vm/base/host/vec.h"

#include <string.h>

uint32_t usdt_operands_add(struct tracer *t, const struct probe_operands *set)
{
	uint64_t hash = hash_bytes(set, sizeof(*set), 0), found;

	if (map_get(&t->operands.by_hash, hash, &found) &&
	    memcmp(&t->operands.data[found - 1], set, sizeof(*set)) == 0)
		return (uint32_t)found - 1;
	*vec_push(&t->operands) = *set;
	map_set(&t->operands.by_hash, hash, t->operands.len);
	return (uint32_t)t->operands.len - 1;
}

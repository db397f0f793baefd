/* SPDX-License-Identifier: MIT */
/*
 * Histogram buckets. quantize() has one bucket for each power of two, with sign:
 *
 *	bucket	0	...	62	63	64	...	126
 *	label	-2^62		-1	0	1		2^62
 */
#include "vm/agg.h"
#include "vm/shard.h"

#define ZERO_BUCKET 63u

struct linear {
	int64_t base, step, levels;
};

static struct linear linear_of(uint64_t param)
{
	int64_t step = (int64_t)(param >> 32 & 0xffff);

	/* A step of 0 does not pass the verifier. */
	return (struct linear){(int32_t)param, step ? step : 1, (int64_t)(param >> 48)};
}

static uint32_t log2_of(uint64_t v)
{
	return 63 - (uint32_t)__builtin_clzll(v);
}

static uint32_t power_bucket(int64_t value)
{
	uint32_t log;

	if (value == 0)
		return ZERO_BUCKET;
	if (value > 0)
		return ZERO_BUCKET + 1 + log2_of((uint64_t)value);
	log = log2_of(0 - (uint64_t)value);
	return log < ZERO_BUCKET ? ZERO_BUCKET - 1 - log : 0; /* -2^63 */
}

/* The observed value is a 32-bit one, as it always was. */
static uint32_t linear_bucket(uint64_t param, int64_t value)
{
	struct linear l = linear_of(param);
	int64_t v = (int32_t)(uint32_t)(uint64_t)value, level;

	if (v < l.base)
		return 0;
	level = (v - l.base) / l.step;
	return (uint32_t)(level < l.levels ? level + 1 : l.levels + 1);
}

uint32_t quant_bucket(const struct program_agg *a, int64_t value)
{
	return a->func == AGG_quantize ? power_bucket(value)
				       : linear_bucket(a->param, value);
}

int64_t agg_bucket_label(const struct program_agg *a, uint32_t bucket)
{
	struct linear l;

	if (a->func == AGG_quantize) {
		if (bucket == ZERO_BUCKET)
			return 0;
		if (bucket > ZERO_BUCKET)
			return INT64_C(1) << ((bucket - ZERO_BUCKET - 1) & 63);
		return -(INT64_C(1) << (ZERO_BUCKET - 1 - bucket));
	}
	l = linear_of(a->param);
	return bucket ? l.base + ((int64_t)bucket - 1) * l.step : l.base - 1;
}

/* SPDX-License-Identifier: MIT */
/*
 * Histogram buckets. quantize() has one bucket for each power of two, with sign:
 *
 *	bucket	0	...	62	63	64	...	126
 *	label	-2^62		-1	0	1		2^62
 *
 * llquantize() has one below factor^low, then linear steps for each order of
 * magnitude [factor^n, factor^(n+1)), then one for all above the highest. An
 * order has nsteps steps less those that would be below factor^n: fewer when
 * it has not so many integers.
 */
#include "vm/agg.h"
#include "vm/agg/shard.h"

#define ZERO_BUCKET 63u

struct linear {
	int64_t base, step, levels;
};

/* One order of magnitude of llquantize: [from, end). */
struct magnitude {
	uint64_t from, end, step;
	uint32_t steps;
};

static const uint32_t fixed_words[] = {
#define AGGFUNC(name, words) words,
#include "vm/agg.def"
#undef AGGFUNC
};

static struct linear linear_of(uint64_t param)
{
	int64_t step = (int64_t)(param >> 32 & 0xffff);

	/* A step of 0 does not pass the verifier. */
	return (struct linear){(int32_t)param, step ? step : 1, (int64_t)(param >> 48)};
}

static struct agg_llquantize llquantize_of(uint64_t param)
{
	return (struct agg_llquantize){(uint16_t)param, (uint16_t)(param >> 16),
				       (uint16_t)(param >> 32),
				       (uint16_t)(param >> 48)};
}

/* a * b, or UINT64_MAX where that has more than 64 bits. */
static uint64_t times(uint64_t a, uint64_t b)
{
	uint64_t out;

	return __builtin_mul_overflow(a, b, &out) ? UINT64_MAX : out;
}

static struct magnitude magnitude_from(const struct agg_llquantize *q, uint64_t from)
{
	uint64_t part = q->nsteps / q->factor, end = times(from, q->factor);
	uint64_t steps = min_u64(end - from, q->nsteps - part);

	return (struct magnitude){from, end, from > part ? from / part : 1,
				  (uint32_t)steps};
}

static uint64_t lowest_of(const struct agg_llquantize *q)
{
	uint64_t v = 1;

	for (uint32_t i = 0; i < q->low; i++)
		v = times(v, q->factor);
	return v;
}

static uint32_t llquantize_words(const struct agg_llquantize *q)
{
	uint64_t from, words = 2;

	if (q->factor < 2 || q->low >= q->high || q->high >= 64 ||
	    q->nsteps < q->factor || q->nsteps % q->factor)
		return 0;
	from = lowest_of(q);
	for (uint32_t i = q->low; i <= q->high && words <= AGG_WORDS_MAX; i++) {
		struct magnitude m = magnitude_from(q, from);

		if (from == UINT64_MAX)
			return 0;
		words += m.steps;
		from = m.end;
	}
	return words <= AGG_WORDS_MAX ? (uint32_t)words : 0;
}

uint32_t agg_words(enum agg_func func, uint64_t param)
{
	struct agg_llquantize q = llquantize_of(param);
	struct linear l = linear_of(param);

	if (func == AGG_llquantize)
		return llquantize_words(&q);
	if (func != AGG_lquantize)
		return fixed_words[func];
	if (l.levels == 0 || (param >> 32 & 0xffff) == 0)
		return 0;
	return (uint32_t)l.levels + 2;
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

static uint32_t linear_bucket(uint64_t param, int64_t value)
{
	struct linear l = linear_of(param);
	uint64_t level;

	if (value < l.base)
		return 0;
	/* Unsigned: the distance may be more than an int64_t holds. */
	level = ((uint64_t)value - (uint64_t)l.base) / (uint64_t)l.step;
	return (uint32_t)min_u64(level, (uint64_t)l.levels) + 1;
}

static uint32_t log_linear_bucket(uint64_t param, int64_t value)
{
	struct agg_llquantize q = llquantize_of(param);
	uint64_t from = lowest_of(&q), v = (uint64_t)value;
	uint32_t bucket = 1;

	if (value < 0 || v < from)
		return 0;
	for (uint32_t i = q.low; i <= q.high; i++) {
		struct magnitude m = magnitude_from(&q, from);

		if (v < m.end)
			return bucket +
			       (uint32_t)min_u64((v - from) / m.step, m.steps - 1);
		bucket += m.steps;
		from = m.end;
	}
	return bucket;
}

uint32_t quant_bucket(const struct program_agg *a, int64_t value)
{
	if (a->func == AGG_quantize)
		return power_bucket(value);
	if (a->func == AGG_llquantize)
		return log_linear_bucket(a->param, value);
	return linear_bucket(a->param, value);
}

static uint64_t log_linear_label(uint64_t param, uint32_t bucket)
{
	struct agg_llquantize q = llquantize_of(param);
	uint64_t from = lowest_of(&q);

	if (bucket == 0)
		return from - 1;
	bucket--;
	for (uint32_t i = q.low; i <= q.high; i++) {
		struct magnitude m = magnitude_from(&q, from);

		if (bucket < m.steps) {
			uint64_t above = times(bucket, m.step);

			return above < UINT64_MAX - from ? from + above : UINT64_MAX;
		}
		bucket -= m.steps;
		from = m.end;
	}
	return from;
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
	if (a->func == AGG_llquantize)
		return (int64_t)min_u64(log_linear_label(a->param, bucket), INT64_MAX);
	l = linear_of(a->param);
	return bucket ? l.base + ((int64_t)bucket - 1) * l.step : l.base - 1;
}

/* SPDX-License-Identifier: MIT */
#include "tracer/live/spark.h"
#include "vm/agg.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define WHOLE	  1000 /* thousandths */
#define BAR_WIDTH 40

static uint64_t positive(uint64_t count)
{
	return (int64_t)count < 0 ? 0 : count;
}

void spark_shares(const struct program_agg *a, const uint64_t *words, uint16_t *shares)
{
	double total = 0;

	for (uint32_t i = 0; i < a->words; i++)
		total += (double)positive(words[i]);
	for (uint32_t i = 0; i < a->words; i++) {
		double count = (double)positive(words[i]);

		shares[i] = count > 0 ? (uint16_t)(count / total * WHOLE + 0.5) : 0;
		if (count > 0 && !shares[i])
			shares[i] = 1;
	}
}

void spark_range_add(struct spark_range *r, uint32_t n, const uint16_t *shares)
{
	for (uint32_t i = 0; i < n; i++) {
		if (!shares[i])
			continue;
		if (!r->is_any || i < r->first)
			r->first = i;
		if (!r->is_any || i > r->last)
			r->last = i;
		r->is_any = true;
	}
}

/* How many buckets one cell stands for. */
static uint32_t buckets_of_cell(const struct spark_range *r)
{
	return (r->last - r->first) / SPARK_CELLS + 1;
}

static uint32_t share_of_cell(const struct spark_range *r, const uint16_t *shares,
			      uint32_t from)
{
	uint32_t sum = 0, end = from + buckets_of_cell(r);

	for (uint32_t i = from; i < end && i <= r->last; i++)
		sum += shares[i];
	return sum;
}

size_t spark_cells(const struct spark_range *r, const uint16_t *shares,
		   char text[SPARK_CELLS + 1])
{
	static const char shades[] = ".:-=+*#%@";
	uint32_t most = 0, step = buckets_of_cell(r), last = ARRAY_LEN(shades) - 2;
	size_t n = 0;

	for (uint32_t i = r->first; r->is_any && i <= r->last; i += step) {
		uint32_t share = share_of_cell(r, shares, i);

		most = share > most ? share : most;
	}
	for (uint32_t i = r->first; r->is_any && i <= r->last; i += step) {
		uint32_t share = share_of_cell(r, shares, i);

		text[n++] = share ? shades[(share * last + most / 2) / most] : ' ';
	}
	text[n] = '\0';
	return n;
}

void spark_label(const struct program_agg *a, uint32_t bucket, char text[32])
{
	bool has_ends = a->func != AGG_quantize;
	bool is_lowest = has_ends && bucket == 0;

	snprintf(text, 32, "%s%" PRId64,
		 is_lowest			      ? "< "
		 : has_ends && bucket == a->words - 1 ? ">= "
						      : "",
		 agg_bucket_label(a, bucket + is_lowest));
}

void spark_bar(const struct program_agg *a, uint32_t bucket, uint16_t share,
	       char text[SPARK_BAR])
{
	char label[32], bar[BAR_WIDTH + 1];
	int n = (share * BAR_WIDTH + WHOLE / 2) / WHOLE;

	memset(bar, '@', sizeof(bar));
	spark_label(a, bucket, label);
	snprintf(text, SPARK_BAR, "%22s |%-*.*s %5.1f%%", label, BAR_WIDTH, n, bar,
		 share * 100.0 / WHOLE);
}

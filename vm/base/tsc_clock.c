/* SPDX-License-Identifier: MIT */
#include "vm/base/tsc_clock.h"

/* Reading the clock took longer: the thread was interrupted, or has moved. */
#define READING_MAX 1024u
/* The rate is measured over so many ticks: 0.4 ms to 0.8 s at 2.6 GHz. */
#define SPAN_MIN (UINT64_C(1) << 20)
#define SPAN_MAX (UINT64_C(1) << 31)
/* What is measured over a span as long as this may be the time of another machine. */
#define SPAN_LOST (UINT64_C(1) << 34)

static void begin_span(struct tsc_clock *c)
{
	c->origin_ticks = c->ticks;
	c->origin_time = c->time;
}

/* The counter or the clock has been set: a thousandth is more than either drifts. */
static bool is_jump(uint64_t old, uint64_t new)
{
	const uint64_t difference = old > new ? old - new : new - old;

	return old && difference > old >> 10;
}

static void measure(struct tsc_clock *c)
{
	const uint64_t span = c->ticks - c->origin_ticks;
	const uint64_t passed = c->time - c->origin_time;
	uint64_t rate;

	if (!c->origin_ticks || span > SPAN_LOST || passed > SPAN_LOST) {
		c->rate = 0;
		begin_span(c);
		return;
	}
	if (span < SPAN_MIN)
		return;
	/* passed < 2^34 ns: shifted in two steps, it does not overflow. */
	rate = ((passed << 28) / span) << 4;
	if (is_jump(c->rate, rate) || rate >> 32 > 16)
		rate = 0;
	c->rate = rate;
	if (!rate || span > SPAN_MAX)
		begin_span(c);
}

uint64_t tsc_clock_set(struct tsc_clock *c, uint64_t before, uint64_t time,
		       uint64_t after)
{
	c->last = max_u64(c->last, time);
	c->window = 0;
	if (after - before > READING_MAX)
		return c->last;
	c->ticks = before + (after - before) / 2;
	c->time = time;
	measure(c);
	c->window = c->rate ? TSC_CLOCK_WINDOW : 0;
	return c->last;
}

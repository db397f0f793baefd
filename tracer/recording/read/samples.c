/* SPDX-License-Identifier: MIT */
#include "tracer/recording/read/samples.h"
#include "tracer/base/rate.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <string.h>

/* An event of a processor's kind has the kind above its number: cpu_core/cycles/. */
#define EVENT_MASK 0xffffffff

static bool is_clock(const struct recorded_attr *a)
{
	uint64_t event = a->config & EVENT_MASK;

	if (a->type == PERF_TYPE_HARDWARE)
		return event == PERF_COUNT_HW_CPU_CYCLES ||
		       event == PERF_COUNT_HW_REF_CPU_CYCLES;
	if (a->type == PERF_TYPE_SOFTWARE)
		return event == PERF_COUNT_SW_CPU_CLOCK ||
		       event == PERF_COUNT_SW_TASK_CLOCK;
	return a->type != PERF_TYPE_TRACEPOINT && a->name &&
	       strstr(a->name, "cycles") != NULL;
}

static void add_name(struct strbuf *text, const struct recorded_attr *a)
{
	for (const char *p = a->name ? a->name : "an event"; *p; p++)
		strbuf_putc(text, *p >= ' ' && *p < 0x7f ? *p : '?');
}

/* Samples a second; 0: they are not by time. */
static uint64_t rate_of(const struct recorded_attr *a)
{
	if (a->is_frequency)
		return a->period;
	if (a->type == PERF_TYPE_SOFTWARE && a->period)
		return NSEC_PER_SEC / a->period;
	return 0;
}

static void note_rate(struct samples_wanted *w, const struct recorded_attr *a,
		      uint64_t interval)
{
	uint64_t rate = rate_of(a), wanted = interval ? NSEC_PER_SEC / interval : 0;

	if (rate == wanted || !wanted || w->text.len)
		return;
	strbuf_printf(&w->text,
		      "profile-%" PRIu64 " fires for each sample that was recorded: ",
		      wanted);
	add_name(&w->text, a);
	if (rate)
		strbuf_printf(&w->text, ", %" PRIu64 " a second", rate);
	else
		strbuf_printf(&w->text, ", one in %" PRIu64, a->period);
}

static bool is_same(const struct recorded_attr *a, const struct origin_event *wanted)
{
	return a->type == wanted->type && a->config == wanted->config &&
	       !a->is_frequency && a->period == wanted->interval;
}

static bool wants_clock(const struct origin_event *wanted)
{
	const struct recorded_attr a = {.type = wanted->type, .config = wanted->config};

	return is_clock(&a);
}

static size_t find_same(const struct attrs *a, const struct origin_event *wanted,
			const struct samples_wanted *w)
{
	size_t n = 0;

	for (size_t i = 0; i < a->list.len; i++) {
		if (!is_same(&a->list.data[i], wanted))
			continue;
		n++;
		if (w)
			w->found(w->ctx, i);
	}
	return n;
}

size_t samples_find(const struct attrs *a, const struct origin_event *wanted,
		    struct samples_wanted *w)
{
	size_t n = wanted ? find_same(a, wanted, w) : 0;

	if (n || (wanted && !wants_clock(wanted)))
		return n;
	for (size_t i = 0; i < a->list.len; i++) {
		if (!is_clock(&a->list.data[i]))
			continue;
		n++;
		if (!w)
			continue;
		w->found(w->ctx, i);
		note_rate(w, &a->list.data[i], wanted ? wanted->interval : 0);
	}
	return n;
}

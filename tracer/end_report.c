/* SPDX-License-Identifier: MIT */
#include "tracer/end_report.h"
#include "tracer/base/patience.h"
#include "tracer/output/out.h"
#include "tracer/output/python_names.h"
#include "tracer/providers/generated.h"
#include "tracer/records/sources.h"
#include "tracer/targets/site_batch.h"
#include "vm/base/host/clock.h"

#include <stdio.h>
#include <stdlib.h>

/* A breakpoint with more than 1 of HOT_SHARE hits is named, or HOT_RATE a second. */
#define HOT_MAX	  512
#define HOT_SHARE 100
#define HOT_RATE  1000

#define WAITS_MAX 8 /* processes that are named */

static bool is_hot(const struct tracer *t, const struct keeper_release_reply *served)
{
	uint64_t hits = served->detour_hits + served->breakpoint_hits;
	uint64_t second = UINT64_C(1000000000);
	uint64_t ns = max_u64(clock_now_ns() - t->jump_sites.since, second);

	return served->hottest_hits > hits / HOT_SHARE ||
	       served->hottest_hits / HOT_RATE > ns / second;
}

/*
 * Text for the end line that names the breakpoint with the most hits, and says why no
 * jump serves it; or "".
 */
static const char *hottest(const struct tracer *t,
			   const struct keeper_release_reply *served,
			   char text[HOT_MAX])
{
	const struct probe *p = probes_get(&t->probes, served->hottest_probe + 1);
	const char *why =
		site_batch_why(t, served->hottest_probe, served->hottest_offset);
	char offset[24] = "";

	text[0] = '\0';
	if (!p || !served->hottest_hits || !is_hot(t, served))
		return text;
	if (served->hottest_offset)
		snprintf(offset, sizeof(offset), "+0x%x", served->hottest_offset);
	snprintf(text, HOT_MAX, ", %llu%% of these at %s`%s%s%s%s",
		 (unsigned long long)(served->hottest_hits * 100 /
				      served->breakpoint_hits),
		 probes_name(&t->probes, p, PROBE_MODULE),
		 probes_name(&t->probes, p, PROBE_FUNCTION), offset, *why ? ": " : "",
		 why);
	return text;
}

void end_report_fpid(const struct tracer *t, const struct keeper_release_reply *served)
{
	char hot[HOT_MAX];
	uint64_t sites = t->jump_sites.jumps + t->jump_sites.breakpoints;
	uint64_t hits = served->detour_hits + served->breakpoint_hits;

	if (!sites)
		return;
	out_notice(t->out,
		   "fpid: %llu of %llu sites are breakpoints; they served %llu of %llu "
		   "hits (%.3f%%) in %.3f s%s",
		   (unsigned long long)t->jump_sites.breakpoints,
		   (unsigned long long)sites,
		   (unsigned long long)served->breakpoint_hits,
		   (unsigned long long)hits,
		   hits ? 100.0 * (double)served->breakpoint_hits / (double)hits : 0.0,
		   (double)served->breakpoint_ns / 1e9, hottest(t, served, hot));
}

void end_report_stacks(const struct tracer *t)
{
	uint64_t n = sources_cut_stacks(t->sources);

	if (n)
		out_notice(t->out,
			   "%llu user stack%s ended before the outermost frame: no "
			   "unwind information, or unreadable memory",
			   (unsigned long long)n, n > 1 ? "s" : "");
	n = python_names_lost(t->python_names);
	if (n)
		out_notice(t->out,
			   "%llu frame%s of Python ha%s no name: there are too many "
			   "different ones",
			   (unsigned long long)n, n > 1 ? "s" : "", n > 1 ? "ve" : "s");
}

bool end_report_given_up(const struct tracer *t)
{
	struct strbuf text = {0};
	bool is_any = patience_describe(&text);

	if (is_any)
		out_message(t->out, "interrupted while it waited; left out: %s",
			    text.data);
	strbuf_release(&text);
	return is_any;
}

static int compare_waits(const void *a, const void *b)
{
	const struct waited *left = a, *right = b;

	return (left->ns < right->ns) - (left->ns > right->ns);
}

void end_report_waits(const struct tracer *t)
{
	struct sources *s = t->sources;
	uint64_t rest = 0;

	sources_find_waited(s);
	if (s->waited.len)
		qsort(s->waited.data, s->waited.len, sizeof(s->waited.data[0]),
		      compare_waits);
	for (size_t i = 0; i < s->waited.len; i++) {
		const struct waited *w = &s->waited.data[i];

		if (i < WAITS_MAX)
			out_notice(t->out,
				   "pid %d waited %.3f s for room in the trace buffer",
				   w->pid, (double)w->ns / 1e9);
		else
			rest += w->ns;
	}
	if (rest)
		out_notice(t->out, "%zu other processes waited %.3f s for it",
			   s->waited.len - WAITS_MAX, (double)rest / 1e9);
}

static void report_awaited(const struct tracer *t, const char *const field[4])
{
	struct match m = {0};

	generated_explain_none(t, field, &m);
	out_message(
		t->out, "probe description %s:%s:%s:%s did not match any probes%s%s",
		field[0], field[1], field[2], field[3], *m.hint ? "\n\t" : "", m.hint);
	match_release(&m);
}

void end_report_awaited(const struct tracer *t)
{
	for (size_t i = 0; i < t->specs.len && !t->zero_ok; i++) {
		const struct trace_spec *s = &t->specs.data[i];

		if (s->is_awaited && !s->seen.len)
			report_awaited(t, (const char *const *)s->field);
	}
}

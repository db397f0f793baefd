/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/cpu/cpu_way.h"

/*
 * A window is the time between so many events, without the first ones, in which threads
 * still come from where the way before has left them. It is long enough for all of 64
 * threads that stop one after the other and then run. What makes a gap longer than theirs
 * is of other processes, or the program had something else to do.
 */
#define WINDOW	   128
#define SETTLE	   4
#define GAP_MAX_NS 500000

/* Windows of the best way from one trial of the others to the next, and the most time. */
#define STAY_MIN 8
#define STAY_MAX 256
#define STAY_NS	 UINT64_C(1000000000)

static bool is_trial(const struct cpu_ways *w)
{
	return w->tried != w->best;
}

/* Another way must be faster by a sixteenth. */
static uint64_t time_to_beat(const struct cpu_ways *w)
{
	uint64_t pace = min_u64(w->pace_ns[0], w->pace_ns[1]);

	return pace - pace / 16;
}

static void end_trial(struct cpu_ways *w)
{
	w->tried = w->best;
	w->windows = 0;
	w->since_ns = w->last_ns;
	if (!w->is_changed)
		w->stay = (uint32_t)min_u64(UINT64_C(2) * w->stay, STAY_MAX);
}

/* Ways are tried in their order. */
static void try_next(struct cpu_ways *w)
{
	do
		w->tried++;
	while (w->tried == w->best);
	if (w->tried >= CPU_WAYS)
		end_trial(w);
}

static void end_tried(struct cpu_ways *w)
{
	if (w->sum_ns < time_to_beat(w)) {
		w->before = w->best;
		w->before_ns = time_to_beat(w);
		w->best = w->tried;
		w->pace_ns[0] = w->pace_ns[1] = w->sum_ns;
		w->is_changed = true;
	}
	try_next(w);
}

/* The best way is in doubt after some time, and when it takes twice the time it took. */
static bool is_due(const struct cpu_ways *w)
{
	if (w->last_ns - w->since_ns >= STAY_NS || w->windows >= w->stay)
		return true;
	return w->windows >= STAY_MIN &&
	       min_u64(w->pace_ns[0], w->pace_ns[1]) > 2 * w->usual_ns;
}

static void end_best(struct cpu_ways *w)
{
	w->pace_ns[1] = w->windows ? w->pace_ns[0] : w->sum_ns;
	w->pace_ns[0] = w->sum_ns;
	w->windows++;
	if (w->windows <= 2)
		w->usual_ns = max_u64(w->pace_ns[0], w->pace_ns[1]);
	if (!is_due(w))
		return;
	w->is_changed = false;
	w->tried = w->best == 0 ? 1 : 0;
}

/*
 * A way can look fast for a window and then be slow: a thread stays on its CPU until the
 * scheduler has seen that another one is idle. Then the way before is taken again.
 */
static bool is_regretted(const struct cpu_ways *w)
{
	if (!w->before_ns || is_trial(w))
		return false;
	if (w->sum_ns > 3 * w->before_ns)
		return true;
	return w->windows >= 2 && w->gaps == 1 &&
	       min_u64(w->pace_ns[0], w->pace_ns[1]) > w->before_ns / 8 * 9;
}

static void go_back(struct cpu_ways *w)
{
	w->best = w->before;
	w->before_ns = 0;
	w->is_changed = false;
	end_trial(w);
}

enum cpu_way cpu_ways_next(struct cpu_ways *w, uint64_t now_ns)
{
	uint64_t gap;

	if (!w->stay) {
		w->stay = STAY_MIN;
		w->last_ns = w->since_ns = now_ns;
	}
	gap = min_u64(now_ns - w->last_ns, GAP_MAX_NS);
	w->last_ns = now_ns;
	if (++w->gaps > SETTLE)
		w->sum_ns += gap;
	if (is_regretted(w))
		go_back(w);
	else if (is_trial(w) && w->sum_ns >= time_to_beat(w))
		try_next(w);
	else if (w->gaps < SETTLE + WINDOW)
		return w->tried;
	else if (is_trial(w))
		end_tried(w);
	else
		end_best(w);
	w->sum_ns = 0;
	w->gaps = 0;
	return w->tried;
}

/* SPDX-License-Identifier: MIT */
#include "tracer/records/sources.h"
#include "vm/agg.h"
#include "vm/base/host/clock.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

#include <limits.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define STAT_BLOCK 512 /* of st_blocks: stat(2) */

static struct view *add_view(struct sources *s, const struct view *v)
{
	struct view *copy = oom_calloc(1, sizeof(*copy));

	*copy = *v;
	copy->left = UINT64_MAX;
	*vec_push(&s->views) = copy;
	return copy;
}

struct sources *sources_new(struct state *home, const void *image)
{
	const struct view v = {.state = home, .file = -1};
	struct sources *s = oom_calloc(1, sizeof(*s));

	s->image = image;
	s->since = clock_now_ns();
	s->home = add_view(s, &v);
	return s;
}

struct view *sources_add_view(struct sources *s, struct state *state, uint64_t size,
			      int file, int pid)
{
	const struct view v = {
		.state = state, .size = size, .file = file, .pid = pid, .family = pid};

	return add_view(s, &v);
}

static void free_view(struct view *v)
{
	for (size_t i = 0; i < v->sources.len; i++) {
		stage_release(&v->sources.data[i]->stage);
		free(v->sources.data[i]);
	}
	vec_release(&v->sources);
	if (v->file >= 0) {
		munmap(v->state, v->size);
		close(v->file);
	}
	free(v);
}

void sources_free(struct sources *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->views.len; i++)
		free_view(s->views.data[i]);
	vec_release(&s->views);
	vec_release(&s->list);
	vec_release(&s->waited);
	costs_release(&s->costs);
	requests_release(&s->requests);
	free(s);
}

static void end_view(struct view *v)
{
	struct stat st;

	if (v->file < 0 || v->is_ended)
		return;
	v->is_ended = true;
	v->left = fstat(v->file, &st) ? 0 : (uint64_t)st.st_blocks * STAT_BLOCK;
}

void sources_end(struct sources *s, int pid)
{
	for (size_t i = 0; s && i < s->views.len; i++)
		if (pid == 0 || s->views.data[i]->pid == pid)
			end_view(s->views.data[i]);
}

/* Front and archive are this process. */
static struct record_origin origin_of(const struct source *p)
{
	struct record_origin o = {.context = CONTEXT_RESIDENT,
				  .pid = (uint32_t)p->view->pid};

	if (p->view->file < 0)
		o.context =
			p->slot == STATE_SLOT_KEEPER ? CONTEXT_KEEPER : CONTEXT_FRONT;
	return o;
}

static void add_source(struct sources *s, struct view *v)
{
	struct source *p = oom_calloc(1, sizeof(*p));

	p->view = v;
	p->number = s->next++;
	p->slot = (uint32_t)v->sources.len;
	p->ring = (struct ring_reader){
		.state = v->state, .slot = p->slot, .image = s->image};
	p->origin = origin_of(p);
	*vec_push(&v->sources) = p;
	*vec_push(&s->list) = p;
}

void sources_find(struct sources *s)
{
	for (size_t i = 0; i < s->views.len; i++) {
		struct view *v = s->views.data[i];

		while (v->sources.len < state_slots_used(v->state))
			add_source(s, v);
	}
}

struct source *sources_get(const struct sources *s, uint32_t number)
{
	size_t lo = 0, hi = s->list.len;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->list.data[mid]->number < number)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == s->list.len || s->list.data[lo]->number != number)
		return NULL;
	return s->list.data[lo];
}

void sources_keep_aggregations(struct sources *s)
{
	sources_find(s);
	for (size_t i = 0; i < s->list.len; i++)
		agg_keep(s->list.data[i]->view->state, s->list.data[i]->slot);
}

void sources_renew(const struct sources *s)
{
	for (size_t i = 0; i < s->views.len; i++)
		state_renew(s->views.data[i]->state);
}

/* ---- claims ---- */

static void disbelieve(const struct sources *s, struct view *v, const char *what)
{
	v->lies = true;
	if (s->impossible)
		s->impossible(s->ctx, v->pid, what);
}

bool sources_trust(const struct sources *s, struct view *v, uint64_t before,
		   uint64_t now, const char *what)
{
	if (v->file < 0)
		return true;
	if (!v->lies && (now < before || now > claim_most(clock_now_ns() - s->since)))
		disbelieve(s, v, what);
	return !v->lies;
}

static uint64_t cut_stacks_of(const struct sources *s, struct view *v)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < v->sources.len; i++) {
		uint64_t n = atomic_load(&state_drops(v->state, i)->stacks);

		if (!n)
			continue;
		if (!sources_trust(s, v, 0, n, "cut stack"))
			return 0;
		sum = claim_add(sum, n);
	}
	return sum;
}

uint64_t sources_cut_stacks(const struct sources *s)
{
	uint64_t sum = s->stacks;

	for (size_t i = 0; i < s->views.len; i++)
		sum = claim_add(sum, cut_stacks_of(s, s->views.data[i]));
	return sum;
}

static uint64_t processors(void)
{
	long n = sysconf(_SC_NPROCESSORS_CONF);

	return n > 0 ? (uint64_t)n : 1;
}

/* All processors may have run nothing but its probes. */
static bool are_possible_costs(const struct sources *s, const struct costs *c)
{
	uint64_t ns = (clock_now_ns() - s->since) * processors();

	return costs_are_possible(c, s->filter.way, ns);
}

static void add_view_costs(const struct sources *s, struct view *v, struct costs *to)
{
	const bool is_home = v->file < 0;
	uint32_t first = is_home ? STATE_SLOT_KEEPER : STATE_SLOT_FIRST_THREAD;
	uint32_t end = is_home ? STATE_SLOT_KEEPER + 1 : state_slots_used(v->state);
	struct costs own = {0};

	if (v->lies)
		return;
	for (uint32_t i = first; i < end; i++)
		costs_add_slot(&own, v->state, i, &s->filter, (uint32_t)v->pid);
	costs_settle(&own);
	if (is_home || are_possible_costs(s, &own))
		costs_add_all(to, &own);
	else
		disbelieve(s, v, "firing");
	costs_release(&own);
}

void sources_add_costs(const struct sources *s, struct costs *to)
{
	costs_add_all(to, &s->costs);
	for (size_t i = 0; i < s->views.len; i++)
		add_view_costs(s, s->views.data[i], to);
}

void sources_add_waited(struct sources *s, int pid, uint64_t ns)
{
	for (size_t i = 0; i < s->waited.len; i++) {
		if (s->waited.data[i].pid != pid)
			continue;
		s->waited.data[i].ns += ns;
		return;
	}
	if (ns)
		*vec_push(&s->waited) = (struct waited){pid, ns};
}

static void add_waited(struct sources *s, const struct view *v)
{
	const uint64_t most = clock_now_ns() - s->since;
	uint64_t ns = 0;

	for (size_t i = 0; v->file >= 0 && !v->lies && i < v->sources.len; i++) {
		const struct source *p = v->sources.data[i];

		if (state_may_have_waited(v->state, p->ring.room_given,
					  p->ring.consumed))
			ns += min_u64(most,
				      atomic_load(state_waited(v->state, p->slot)));
	}
	sources_add_waited(s, v->pid, ns);
}

void sources_find_waited(struct sources *s)
{
	for (size_t i = 0; i < s->views.len; i++)
		add_waited(s, s->views.data[i]);
}

bool sources_are_stopped(const struct sources *s)
{
	for (size_t i = 0; i < s->views.len; i++)
		if (s->views.data[i]->file >= 0 &&
		    state_is_stopped(s->views.data[i]->state) &&
		    sources_believe(s, s->views.data[i], REQUEST_STOP))
			return true;
	return false;
}

void sources_set_requests(struct sources *s, const struct requests_config *config)
{
	requests_init(&s->requests, config);
}

bool sources_believe(const struct sources *s, struct view *v, enum request what)
{
	return v->file < 0 ||
	       (s->requests.made &&
		requests_are_made(&s->requests, what, (uint32_t)v->pid, &v->grants));
}

/* Threads that wait for the room that was made. */
static void wake_waiters(struct state *s)
{
	_Atomic uint32_t *word = state_waiter(s);

	atomic_thread_fence(memory_order_seq_cst);
	if (atomic_load_explicit(word, memory_order_relaxed) &&
	    atomic_exchange(word, 0))
		syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void source_fill(struct source *p, struct record_check *check, uint64_t limit)
{
	const struct stage_source from = {&p->ring, check, p->origin};
	uint64_t before = p->ring.consumed, taken;

	stage_fill(&p->stage, &from, min_u64(limit, p->view->left));
	stage_check(&p->stage, &from);
	taken = p->ring.consumed - before;
	if (taken)
		wake_waiters(p->view->state);
	if (p->view->left != UINT64_MAX)
		p->view->left -= min_u64(taken, p->view->left);
}

void source_pop(struct source *p, struct record_check *check)
{
	const struct stage_source from = {&p->ring, check, p->origin};

	stage_pop(&p->stage);
	stage_check(&p->stage, &from);
}

bool view_is_drained(const struct view *v)
{
	for (size_t i = 0; i < v->sources.len; i++) {
		const struct source *p = v->sources.data[i];

		if (stage_has_record(&p->stage) ||
		    (v->left && !ring_is_empty(&p->ring)))
			return false;
	}
	return v->sources.len >= state_slots_used(v->state);
}

void sources_remove_view(struct sources *s, struct view *v)
{
	size_t kept = 0;

	s->stacks = claim_add(s->stacks, cut_stacks_of(s, v));
	if (v->file >= 0)
		add_view_costs(s, v, &s->costs);
	add_waited(s, v);
	for (size_t i = 0; i < s->list.len; i++)
		if (s->list.data[i]->view != v)
			s->list.data[kept++] = s->list.data[i];
	s->list.len = kept;
	kept = 0;
	for (size_t i = 0; i < s->views.len; i++)
		if (s->views.data[i] != v)
			s->views.data[kept++] = s->views.data[i];
	s->views.len = kept;
	free_view(v);
}

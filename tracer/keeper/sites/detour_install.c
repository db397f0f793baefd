/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/sites/detour_install.h"
#include "tracer/keeper/inject/inject.h"
#include "tracer/keeper/space/stacks.h"
#include "tracer/keeper/os/mem.h"
#include "tracer/keeper/sites/fields.h"
#include "tracer/keeper/sites/inside.h"
#include "tracer/keeper/sites/puns.h"
#include "tracer/keeper/sites/stubs_ahead.h"
#include "tracer/keeper/sites/tables.h"
#include "tracer/keeper/os/write_run.h"
#include "tracer/keeper/threads/thread_stop.h"
#include "tracer/keeper/threads/trust_domain.h"
#include "tracer/keeper/threads/all_stop.h"
#include "tracer/keeper/threads/event.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

#include <stdlib.h>
#include <string.h>

#define WINDOW_BYTES (UINT64_C(256) << 10) /* of code that is read at once */

/* Bytes for memory of ours that are not there yet: of the requests from `first` on. */
struct request_run {
	struct write_run run;
	size_t first;
};

/* One call of detour_install(). */
struct batch {
	struct keeper *k;
	struct process *p;
	struct space *space;
	struct detour_requests *list;
	struct all_stop all;
	struct injection in;
	struct map islands; /* bytes of those of punned jumps -> 1 */
	struct inside inside;
	struct stubs_ahead *ahead;	/* or NULL */
	struct near_alloc now;		/* the mappings of the process */
	const struct procfs_area *area; /* of now; that which was found last, or NULL */
	struct request_run stubs, switches;
	bool has_failed; /* to write some of these */
	struct detour_texts texts;
	uint8_t *window; /* the program's code from window_lo on */
	uint64_t window_lo;
	size_t window_len;
};

static struct detours *detours_of(const struct batch *b)
{
	return b->space->detours;
}

static void refuse_rest(struct detour_requests *list, enum keeper_reason reason)
{
	for (size_t i = 0; i < list->len; i++)
		if (list->data[i].reason == KEEPER_REASON_NONE)
			list->data[i].reason = reason;
}

static bool is_confined(const struct batch *b)
{
	struct procfs_status st;

	for (const struct task *t = b->p->tasks; t; t = t->next)
		if (procfs_status(t->tid, &st) == 0 && st.has_seccomp)
			return true;
	return false;
}

static bool uses_gs(const struct batch *b)
{
	struct regs regs;

	for (size_t i = 0; i < b->all.threads.len; i++) {
		const struct all_stop_thread *t = &b->all.threads.data[i];

		if (t->tid && !t->is_asleep && pt_regs(t->tid, &regs) == 0 &&
		    regs_tcb_base(&regs))
			return true;
	}
	return false;
}

/* Why resident code is not there, when the mapping of it failed. */
static enum keeper_reason reason_of(const struct batch *b, int status)
{
	bool is_limited = procfs_limits_addresses(b->in.remote->tid) ||
			  procfs_limits_addresses(0);

	if (status == STATUS_UNSUP)
		return KEEPER_REASON_DISPATCHED;
	return status == STATUS_NOMEM && is_limited ? KEEPER_REASON_LIMIT
						    : KEEPER_REASON_INJECT;
}

/*
 * Installs resident code in the process, or updates its program. A refusal is final: its
 * causes (a filter, a used GS base) do not go away.
 */
static int install_resident(struct batch *b)
{
	struct detours *h = detours_of(b);
	bool is_first = !h->is_installed;
	int status;

	if (!h->is_installed && uses_gs(b)) {
		h->refused = KEEPER_REASON_GS_USED;
		return STATUS_UNSUP;
	}
	if (!h->is_installed && b->k->program.has_variables)
		h->refused = trust_domain_judge(b->k, b->p);
	if (h->refused)
		return STATUS_UNSUP;
	status = h->is_installed ? inject_program(&b->in) : inject_install(&b->in);
	if (!status && is_first)
		event_exchange(b->k, b->p);
	if (!status && b->in.program->has_variables)
		trust_domain_enter(b->k, b->p);
	if (!status && b->in.program->reads_there)
		space_keep_shadow(b->space);
	if (!status)
		inject_rows(
			&b->in); /* if that fails, its stacks follow frame pointers */
	if (status < 0 && !detours_of(b)->is_installed && !detours_of(b)->refused)
		detours_of(b)->refused = reason_of(b, status);
	return status;
}

/* Makes all system calls that are needed, in one thread of the process. */
static int prepare_memory(struct batch *b, struct thread_stop *q)
{
	struct remote_call r;
	int status = remote_call_begin(&r, &b->k->waits, q->task, b->space->mem), end;

	if (status < 0) {
		if (!detours_of(b)->is_installed)
			detours_of(b)->refused = KEEPER_REASON_INJECT;
		return status;
	}
	b->in = (struct injection){&r, b->p, &b->k->program, &b->now};
	status = install_resident(b);
	if (!status)
		tables_grow(&b->in, b->list);
	if (!status)
		status = near_alloc_init(&b->now, r.tid);
	if (!status)
		status = fields_map(&b->in, b->list);
	/* Last: single pages all around would leave no room in one piece. */
	if (!status)
		status = puns_map(&b->in, b->list);
	end = remote_call_end(&r, &q->status);
	return status ? status : end;
}

/* The mapping of an address, or NULL. Mostly it is that of the address before. */
static const struct procfs_area *area_at(struct batch *b, taddr addr)
{
	if (!b->area || !addr_range_holds(&b->area->range, addr))
		b->area = procfs_maps_find(&b->now.maps, addr);
	return b->area;
}

/* n bytes of the code at addr, as they were when it was first read; NULL: unreadable. */
static const uint8_t *code_at(struct batch *b, taddr addr, size_t n)
{
	const struct procfs_area *area;

	if (addr.v >= b->window_lo && addr.v + n <= b->window_lo + b->window_len)
		return b->window + (addr.v - b->window_lo);
	area = area_at(b, addr);
	if (!b->window)
		b->window = oom_realloc(NULL, WINDOW_BYTES);
	b->window_lo = addr.v;
	b->window_len = area ? min_u64(area->range.hi.v - addr.v, WINDOW_BYTES) : 0;
	if (n > b->window_len ||
	    mem_read(b->space->mem, addr, b->window, b->window_len) < 0)
		b->window_len = 0;
	return b->window_len ? b->window : NULL;
}

static bool is_code(struct batch *b, taddr addr, const uint8_t *expected, size_t n)
{
	uint8_t now[HOOK_COVERED_MAX];
	const uint8_t *code = code_at(b, addr, n);

	if (code)
		return memcmp(code, expected, n) == 0;
	return mem_read(b->space->mem, addr, now, n) == 0 &&
	       memcmp(now, expected, n) == 0;
}

static bool is_unchanged(struct batch *b, const struct hook_plan *plan)
{
	return is_code(b, plan->patch, plan->original, hook_plan_held(plan)) &&
	       (!hook_plan_has_island(plan) ||
		is_code(b, plan->island.at, plan->island.original,
			plan->island.covered));
}

/* Whether it is true of the mapping of any of the plan's bytes. */
static bool is_any(struct batch *b, const struct hook_plan *plan,
		   bool (*test)(const struct procfs_area *a))
{
	return test(area_at(b, plan->patch)) ||
	       (hook_plan_has_island(plan) && test(area_at(b, plan->island.at)));
}

static bool is_shared(const struct procfs_area *a)
{
	return !a || a->is_shared;
}

/* An operand that the program writes leads a jump anywhere; a breakpoint sees it. */
static bool is_writable(const struct procfs_area *a)
{
	return a && a->is_writable;
}

/* Whether all addresses at the two places reach each other in 32 bits. */
static bool is_near(taddr a, taddr b)
{
	uint64_t far = a.v > b.v ? a.v - b.v : b.v - a.v;

	return far < INT32_MAX - STUB_MAX - HOOK_COVERED_MAX;
}

static void note_sites(struct detours *h, const struct detour *detour,
		       const struct stub *stub)
{
	for (uint32_t i = 0; i < detour->plan.nsites; i++)
		h->sites.data[detour->first_site + i] = (struct detour_site){
			.detour = detour->number, .head = stub->prologues[i]};
}

/*
 * Puts the sites into the block. Stub and switches are written: if we are killed from now
 * on, resident code stores into the switches.
 */
static void publish(struct detours *h, const struct detour *detour)
{
	struct resident_site *site = resident_site_table(&h->view);
	struct native_spot *spots = resident_spot_table(&h->view);

	for (uint32_t i = 0; i < detour->plan.nsites; i++) {
		uint32_t number = detour->first_site + i;
		uint64_t epilogue =
			detour->stub.v + h->sites.data[number].head + STUB_EPILOGUE;

		spots[number].pc =
			(int32_t)(hook_plan_address(&detour->plan, i).v - epilogue);
		site[number].epilogue = epilogue;
	}
}

static enum keeper_reason add_probes(const struct batch *b,
				     const struct detour_request *j)
{
	const struct detour *detour = &detours_of(b)->list.data[j->number];

	for (uint32_t i = 0; i < j->nprobes; i++) {
		const struct detour_probe *p = &j->probes[i];
		int at = detours_find_site(&detour->plan, p->addr, p->hit.kind);
		uint32_t site = detour->first_site + (uint32_t)at;

		if (at < 0)
			return KEEPER_REASON_CHANGED;
		if (detours_add_hit(detours_of(b), b->space->ranges.data, site,
				    &p->hit) < 0)
			return KEEPER_REASON_FULL;
		detours_find_light(detours_of(b), &b->k->program, site);
	}
	return KEEPER_REASON_NONE;
}

/*
 * Writes an island of a punned jump into memory of ours. Islands of removed detours may
 * be overwritten: no thread is there.
 */
static enum keeper_reason write_island(struct batch *b, uint64_t at,
				       const uint8_t *bytes)
{
	for (uint64_t i = 0; i < HOOK_JUMP; i++)
		if (map_get(&b->islands, at + i, NULL))
			return KEEPER_REASON_PUN;
	for (uint64_t i = 0; i < HOOK_JUMP; i++)
		map_set(&b->islands, at + i, 1);
	return mem_write(b->space->mem, taddr_of(at), bytes, HOOK_JUMP) < 0
		       ? KEEPER_REASON_INJECT
		       : KEEPER_REASON_NONE;
}

/* Those of the plan that are not in the program's code. */
static enum keeper_reason write_islands(struct batch *b, const struct detour *detour)
{
	const struct hook_plan *plan = &detour->plan;
	enum keeper_reason reason = KEEPER_REASON_NONE;

	if (plan->tactic == HOOK_JMP_PUN)
		return write_island(b, plan->island.at.v, detour->island);
	for (uint32_t i = 0; !reason && i < plan->nheads; i++)
		reason = write_island(b, hook_chain_landing(plan, detour->patch, i).v,
				      detour->island + (size_t)i * HOOK_JUMP);
	return reason;
}

/* Whether its stub is built and its text is to be written. */
static bool is_new(const struct detour_request *j)
{
	return j->reason == KEEPER_REASON_NONE && !j->is_joining;
}

/* What was added to the run is not in memory: the requests up to this one fail. */
static void fail_run(struct batch *b, const struct request_run *r, size_t end)
{
	b->has_failed = true;
	for (size_t i = r->first; i < end; i++)
		if (is_new(&b->list->data[i]))
			b->list->data[i].reason = KEEPER_REASON_INJECT;
}

struct piece {
	taddr at;
	const void *bytes;
	size_t n;
};

/* Adds to the run, for request i. */
static void add_to_run(struct batch *b, struct request_run *r, size_t i,
		       struct piece piece)
{
	bool is_empty = !r->run.len;

	if (write_run_add(&r->run, piece.at, piece.bytes, piece.n) < 0)
		fail_run(b, r, i);
	if (is_empty || r->run.len == piece.n)
		r->first = i;
}

static void end_run(struct batch *b, struct request_run *r)
{
	if (write_run_flush(&r->run) < 0)
		fail_run(b, r, b->list->len);
	write_run_release(&r->run);
}

/* Adds the switches of the detour, for request i; offset: STUB_ON or STUB_EPILOGUE. */
static void add_switches(struct batch *b, size_t i, const struct detour *detour,
			 uint64_t offset)
{
	const struct detour_site *sites =
		&detours_of(b)->sites.data[detour->first_site];
	uint64_t words[HOOK_SITES_MAX];

	for (uint32_t k = 0; k < detour->plan.nsites; k++)
		words[k] = detour->stub.v + sites[k].head + offset;
	add_to_run(b, &b->switches, i,
		   (struct piece){detour->switch_word, words,
				  detour->plan.nsites * sizeof(*words)});
}

static int build_stub(struct batch *b, size_t i, const struct detour *detour,
		      struct stub *stub)
{
	const struct stub_request req = detours_request(detour);

	if (!is_near(detour->stub, detour->plan.patch))
		return STATUS_RANGE;
	return stubs_ahead_take(b->ahead, i, &req, stub) ? 0 : stub_build(&req, stub);
}

/* Makes the stub of request i at the end of the field, without writing it. */
static enum keeper_reason make_stub(struct batch *b, size_t i,
				    const struct detour_field *f, struct detour *detour,
				    struct stub *stub)
{
	int status;

	detour->stub = f->stubs_end;
	detour->switch_word = taddr_of(f->switches.v + f->nswitches * sizeof(uint64_t));
	status = build_stub(b, i, detour, stub);
	if (status < 0)
		return status == STATUS_RANGE ? KEEPER_REASON_REACH
					      : KEEPER_REASON_CHANGED;
	if (!inside_can_move(&b->inside, detour))
		return KEEPER_REASON_THREADS;
	memcpy(detour->patch, stub->patch, HOOK_PATCH_MAX);
	memcpy(detour->island, stub->island, HOOK_COVERED_MAX);
	return write_islands(b, detour);
}

/* Builds the stub. It stays there even if the text cannot be written: it is small. */
static enum keeper_reason build(struct batch *b, struct detour_request *j)
{
	struct detours *h = detours_of(b);
	struct detour_field *f = fields_find_room(h, j->plan.patch.v, 1);
	struct detour detour = {.plan = j->plan};
	size_t i = (size_t)(j - b->list->data);
	enum keeper_reason reason;
	struct stub stub;

	if (!f)
		return KEEPER_REASON_NEAR_MEMORY;
	memcpy(detour.patch, j->chain, HOOK_PATCH_MAX);
	if (detours_take_numbers(h, &detour) < 0)
		return KEEPER_REASON_FULL;
	reason = make_stub(b, i, f, &detour, &stub);
	if (reason != KEEPER_REASON_NONE) {
		detours_give_back(h, &detour);
		return reason;
	}
	h->list.data[detour.number] = detour;
	f->stubs_end = taddr_of(detour.stub.v + stub.n);
	f->nswitches += detour.plan.nsites;
	*vec_push(&f->detours) = detour.number;
	j->number = detour.number;
	note_sites(h, &detour, &stub);
	add_to_run(b, &b->stubs, i, (struct piece){detour.stub, stub.bytes, stub.n});
	add_switches(b, i, &detour, STUB_EPILOGUE);
	return add_probes(b, j);
}

static enum keeper_reason build_one(struct batch *b, struct detour_request *j)
{
	if (detour_requests_are_over(b->list))
		return KEEPER_REASON_ENDED;
	detour_requests_count(b->list, j->nprobes);
	if (j->is_joining)
		return add_probes(b, j);
	if (is_any(b, &j->plan, is_shared))
		return KEEPER_REASON_UNWRITABLE;
	if (is_any(b, &j->plan, is_writable))
		return KEEPER_REASON_WRITABLE;
	if (!is_unchanged(b, &j->plan))
		return KEEPER_REASON_CHANGED;
	return build(b, j);
}

/*
 * Tracing has ended on the way: no text is written, so there is nothing to undo. All or
 * none, as jumps may share bytes.
 */
static void give_up_if_over(struct batch *b)
{
	if (!detour_requests_are_over(b->list))
		return;
	b->has_failed = true;
	for (size_t i = 0; i < b->list->len; i++)
		if (is_new(&b->list->data[i]))
			b->list->data[i].reason = KEEPER_REASON_ENDED;
}

/* Where the text is to be written. */
static void list_texts(struct batch *b)
{
	b->texts.len = 0;
	for (size_t i = 0; i < b->list->len; i++) {
		const struct detour_request *j = &b->list->data[i];

		if (is_new(j))
			detour_texts_add(&detours_of(b)->list.data[j->number],
					 &b->texts);
	}
}

/* One after the other, each as a whole: what is needed of it is in the cache then. */
static void build_all(struct batch *b)
{
	b->stubs.run.mem = b->switches.run.mem = b->space->mem;
	for (size_t i = 0; i < b->list->len; i++) {
		struct detour_request *j = &b->list->data[i];

		if (j->reason == KEEPER_REASON_NONE)
			j->reason = build_one(b, j);
		if (is_new(j))
			detour_texts_add(&detours_of(b)->list.data[j->number],
					 &b->texts);
	}
	end_run(b, &b->stubs);
	end_run(b, &b->switches);
	give_up_if_over(b);
	if (b->has_failed)
		list_texts(b);
	free(b->window);
}

/* Restores the written part of detours that could not be written as a whole. */
static void undo_failed(const struct batch *b, struct map *failed)
{
	struct detours *h = detours_of(b);
	struct detour_texts undo = {0};

	for (size_t i = 0; i < b->texts.len; i++) {
		uint32_t number = b->texts.data[i].number;

		if (b->texts.data[i].is_done)
			continue;
		map_set(failed, number + UINT64_C(1), 1);
		detour_texts_add(&h->list.data[number], &undo);
	}
	detour_texts_write(h, &undo, true, b->space->mem);
	vec_release(&undo);
}

/* The detours whose text is written are in use from now on. */
static void turn_on_all(struct batch *b, const struct map *failed)
{
	struct detours *h = detours_of(b);

	/* Before any switch: if we are killed, resident code goes through all sites. */
	atomic_store_explicit(&h->view.block->nsites, h->site_numbers.end,
			      memory_order_release);
	for (size_t i = 0; i < b->list->len; i++) {
		struct detour_request *j = &b->list->data[i];
		struct detour *detour;

		if (!is_new(j))
			continue;
		detour = &h->list.data[j->number];
		if (map_get(failed, detour->number + UINT64_C(1), NULL)) {
			j->reason = KEEPER_REASON_UNWRITABLE;
			continue;
		}
		publish(h, detour);
		detours_turn_on(h, detour);
		add_switches(b, i, detour, STUB_ON);
	}
	/* A detour that stays off does not fire: its probes are refused. */
	end_run(b, &b->switches);
}

/* Writes the text, and what must follow at once. */
static void write_text(struct batch *b)
{
	struct detours *h = detours_of(b);
	struct map failed = {0};

	/* First: the stubs exist already, and a thread in one needs no jump. */
	for (size_t i = 0; b->inside.threads.len && i < b->list->len; i++)
		if (is_new(&b->list->data[i]))
			inside_move(&b->inside, &h->list.data[b->list->data[i].number]);
	for (size_t i = 0; i < b->list->len; i++)
		if (is_new(&b->list->data[i]))
			space_note_detour(b->space,
					  &h->list.data[b->list->data[i].number]);
	detour_texts_write(h, &b->texts, false, b->space->mem);
	undo_failed(b, &failed);
	turn_on_all(b, &failed);
	map_release(&failed);
	space_shadow_detours(b->space, &b->texts);
}

/* Threads that sleep in the kernel, and new ones, get theirs at their next stop. */
static void give_slots(struct batch *b)
{
	for (size_t i = 0; i < b->all.threads.len; i++) {
		const struct all_stop_thread *t = &b->all.threads.data[i];
		struct task *task = t->tid ? task_find(&b->k->tasks, t->tid) : NULL;

		if (task && !t->is_asleep)
			task_take_slot(&b->k->tasks, task,
				       task->process->role != ROLE_TRACED);
	}
}

/* What belonged to code that has gone is used again. */
static void recycle(const struct batch *b)
{
	taddr *pcs = oom_calloc(b->all.threads.len + 1, sizeof(*pcs));
	size_t n = 0;

	for (size_t i = 0; i < b->all.threads.len; i++)
		if (b->all.threads.data[i].tid)
			pcs[n++] = b->all.threads.data[i].pc;
	detours_recycle(detours_of(b), pcs, n);
	free(pcs);
}

static int install_in_all_stop(struct batch *b, struct thread_stop *q)
{
	int status;

	recycle(b);
	status = prepare_memory(b, q);

	if (status < 0) {
		refuse_rest(b->list, detours_of(b)->refused ? detours_of(b)->refused
							    : KEEPER_REASON_INJECT);
		return status == STATUS_GONE ? status : 0;
	}
	/* Before any site is on. */
	give_slots(b);
	inside_init(&b->inside, b->list, &b->all);
	inside_refuse_frames(&b->inside, &b->all, b->space->mem);
	build_all(b);
	write_text(b);
	inside_release(&b->inside);
	state_renew(detours_of(b)->state.state);
	vec_release(&b->texts);
	return 0;
}

static int install_all(struct batch *b)
{
	struct thread_stop q;
	int status = thread_stop_begin(b->k, b->p, &q);

	if (status == STATUS_GONE)
		return status;
	if (status < 0) {
		refuse_rest(b->list, KEEPER_REASON_THREADS);
		return 0;
	}
	if (q.task->process->space != b->space) { /* it has called exec */
		thread_stop_end(b->k, &q);
		return STATUS_GONE;
	}
	status = all_stop_begin(&b->all, b->k, q.task, b->space);
	if (status < 0) {
		refuse_rest(b->list, KEEPER_REASON_THREADS);
		thread_stop_end(b->k, &q);
		return 0;
	}
	status = install_in_all_stop(b, &q);
	map_release(&b->islands);
	near_alloc_release(&b->now);
	all_stop_end(&b->all);
	if (status != STATUS_GONE)
		thread_stop_end(b->k, &q);
	return status;
}

enum keeper_reason detour_install_refusal(struct keeper *k, struct process *p,
					  bool has_variables)
{
	struct batch b = {.k = k, .p = p};
	enum keeper_reason reason = KEEPER_REASON_NONE;
	struct regs regs;
	struct thread_stop stop;

	if (is_confined(&b))
		return KEEPER_REASON_SECCOMP;
	/* A program that uses the GS base uses it in all threads. */
	if (thread_stop_begin(k, p, &stop) < 0)
		return reason;
	if (pt_regs(stop.task->tid, &regs) == 0 && regs_tcb_base(&regs))
		reason = KEEPER_REASON_GS_USED;
	else if (has_variables)
		reason = trust_domain_judge(k, p);
	/* Nothing is installed in a listing: the first one begins the domain. */
	k->domain.is_begun |= has_variables && reason == KEEPER_REASON_NONE;
	thread_stop_end(k, &stop);
	return reason;
}

int detour_install(struct keeper *k, struct process *p, struct detour_requests *list)
{
	struct batch b = {.k = k, .p = p, .space = p->space, .list = list};
	int status;

	if (!list->len)
		return 0;
	if (!p->space->detours)
		p->space->detours = detours_new();
	if (!p->space->detours->refused && is_confined(&b))
		p->space->detours->refused = KEEPER_REASON_SECCOMP;
	if (p->space->detours->refused) {
		refuse_rest(list, p->space->detours->refused);
		return 0;
	}
	b.ahead = stubs_ahead_begin(list);
	status = install_all(&b);
	stubs_ahead_end(b.ahead);
	return status;
}

/* Gives up the rows of modules that have gone, unless a thread is amid a hit. */
static void recycle_rows(struct keeper *k, struct task *self, struct space *s)
{
	const struct detours *d = s->detours;
	struct all_stop all = {0};

	if (all_stop_begin(&all, k, self, s) < 0)
		return;
	if (detours_are_idle(d))
		stacks_recycle(s->stacks, &d->view, d->ntcbs);
	all_stop_end(&all);
}

static void map_rows(struct keeper *k, struct process *p, struct thread_stop *q)
{
	struct remote_call r;

	if (stacks_are_crowded(p->space->stacks, &p->space->detours->view))
		recycle_rows(k, q->task, p->space);
	if (remote_call_begin(&r, &k->waits, q->task, p->space->mem) < 0)
		return;
	inject_rows(&(struct injection){&r, p, &k->program, NULL});
	remote_call_end(&r, &q->status);
}

void detour_install_rows(struct keeper *k, struct process *p)
{
	struct space *s = p->space;
	struct thread_stop q;

	if (!s->detours || !s->detours->is_installed) {
		if (stacks_are_crowded(s->stacks, NULL))
			stacks_recycle(s->stacks, NULL, 0);
		return;
	}
	if (thread_stop_begin(k, p, &q) < 0)
		return;
	if (p->space == s) /* it may have called exec */
		map_rows(k, p, &q);
	thread_stop_end(k, &q);
}

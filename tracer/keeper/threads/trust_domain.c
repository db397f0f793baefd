/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/threads/trust_domain.h"
#include "tracer/keeper/os/ptrace.h"
#include "tracer/keeper/inject/inject.h"
#include "tracer/keeper/threads/detour_remove.h"
#include "tracer/keeper/threads/event.h"
#include "tracer/keeper/threads/thread_stop.h"
#include "vm/base/host/clock.h"
#include "vm/base/host/vec.h"

#include <string.h>

struct pids {
	int *data;
	size_t len, cap;
};

static uint32_t count_members(const struct keeper *k)
{
	uint32_t n = 0;

	for (const struct process *p = k->tasks.processes; p; p = p->next)
		n += process_has_variables(p);
	return n;
}

int trust_domain_period(const struct keeper *k)
{
	return count_members(k) > 1 ? TRUST_DOMAIN_PERIOD_MS : -1;
}

/* ---- who may enter ---- */

static bool are_same(int tid, const struct credentials *c)
{
	struct credentials its;
	bool same;

	if (credentials_read(tid, &its) < 0)
		return false;
	same = !credentials_difference(&its, c);
	credentials_release(&its);
	return same;
}

/* All of its threads, for each of them runs in the memory of all. */
static bool is_peer(const struct process *p, const struct credentials *c)
{
	for (const struct task *t = p->tasks; t; t = t->next)
		if (!are_same(t->tid, c))
			return false;
	return true;
}

/* The domain goes with its only member, which may have changed its credentials. */
static void follow_only_member(struct keeper *k)
{
	const struct process *p = k->tasks.processes;
	struct credentials now;

	if (count_members(k) != 1)
		return;
	while (!process_has_variables(p))
		p = p->next;
	if (credentials_read(process_living_tid(p), &now) < 0)
		return;
	credentials_release(&k->domain.of);
	k->domain.of = now;
}

enum keeper_reason trust_domain_judge(struct keeper *k, const struct process *p)
{
	follow_only_member(k);
	if (!k->domain.is_begun) {
		credentials_release(&k->domain.of);
		if (credentials_read(process_living_tid(p), &k->domain.of) < 0)
			return KEEPER_REASON_DOMAIN;
	}
	return is_peer(p, &k->domain.of) ? KEEPER_REASON_NONE : KEEPER_REASON_DOMAIN;
}

void trust_domain_enter(struct keeper *k, struct process *p)
{
	p->space->detours->has_variables = true;
	k->domain.is_begun = true;
}

/* ---- who must leave ---- */

/* The thread makes the calls that take the variables out of its process. */
static int drop_variables(struct keeper *k, struct thread_stop *stop)
{
	struct process *p = stop->task->process;
	struct remote_call r;
	int status = remote_call_begin(&r, &k->waits, stop->task, p->space->mem), end;

	if (status < 0)
		return status;
	status = inject_drop_variables(&(struct injection){&r, p, &k->program, NULL});
	end = remote_call_end(&r, &stop->status);
	return status ? status : end;
}

/*
 * Removes the process from the domain. STATUS_BUSY: its threads did not stop; it will be
 * tried again.
 */
static int leave(struct keeper *k, struct process *p, const char *word)
{
	const struct addr_range all = {taddr_of(0), taddr_of(UINT64_MAX)};
	struct bpt_list numbers = {0};
	struct thread_stop stop;
	struct space *s = p->space;
	int status = thread_stop_begin(k, p, &stop);

	if (status < 0)
		return status;
	if (stop.task->process->space != s) { /* it has called exec */
		thread_stop_end(k, &stop);
		return STATUS_GONE;
	}
	s->detours->refused = KEEPER_REASON_DOMAIN;
	space_list_detours(s, all, &numbers);
	status = detour_remove_all(k, stop.task, s, &numbers);
	if (!status) {
		s->detours->has_left = true;
		/* If they stay mapped, it still counts as a member. */
		s->detours->has_variables = drop_variables(k, &stop) < 0;
		event_domain(k, stop.task->process, (uint32_t)numbers.len, word);
	}
	vec_release(&numbers);
	thread_stop_end(k, &stop);
	return status;
}

/*
 * What has changed in the process; NULL: nothing. Its leader is looked at, for its
 * threads share memory anyway. *now is empty if it cannot be read.
 */
static const char *change_of(const struct keeper *k, const struct process *p,
			     struct credentials *now)
{
	int status = credentials_read(process_living_tid(p), now);

	if (status == STATUS_PERM)
		return "credentials";
	return status < 0 ? NULL : credentials_difference(now, &k->domain.of);
}

static void look_at(struct keeper *k, struct process *p)
{
	struct credentials now;
	const char *word = change_of(k, p, &now);

	credentials_release(&now);
	if (word)
		leave(k, p, word);
}

/* The list of processes changes while threads are stopped. */
static struct pids list_members(const struct keeper *k)
{
	struct pids list = {0};

	for (const struct process *p = k->tasks.processes; p; p = p->next)
		if (process_has_variables(p) && !p->space->detours->has_left)
			*vec_push(&list) = p->pid;
	return list;
}

static bool is_period_over(const struct trust_domain *d, uint64_t now)
{
	return now - d->looked_ns >= TRUST_DOMAIN_PERIOD_MS * UINT64_C(1000000);
}

void trust_domain_turn(struct keeper *k)
{
	uint64_t now = k->domain.is_begun ? clock_now_ns() : 0;
	struct pids list;

	if (!k->domain.is_begun ||
	    (!k->domain.is_due && !is_period_over(&k->domain, now)))
		return;
	k->domain.is_due = false;
	k->domain.looked_ns = now;
	follow_only_member(k);
	list = list_members(k);
	for (size_t i = 0; i < list.len; i++) {
		struct process *p = process_find(&k->tasks, list.data[i]);

		if (p && process_has_variables(p))
			look_at(k, p);
	}
	vec_release(&list);
}

/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/fire/sampler.h"
#include "tracer/keeper/fire/fire.h"
#include "tracer/keeper/os/link.h"
#include "tracer/keeper/os/ptrace.h"
#include "tracer/keeper/os/runtime.h"
#include "vm/base/host/clock.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

#include <stdlib.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define NSEC_PER_SEC UINT64_C(1000000000)
#define COUNTERS_MAX 256 /* descriptors; the run time of more threads is from /proc */
/* A stop stands for at most so many samples, or for so much time, if that is more. */
#define SAMPLES_MAX	 16
#define SAMPLES_MAX_TIME (NSEC_PER_SEC / 5)
#define LOOKS_PER_GLANCE                                                               \
	16 /* threads that are scanned between two looks at the clock */

int sampler_init(struct sampler *s)
{
	*s = (struct sampler){0};
	s->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	return s->timer < 0 ? STATUS_IO : 0;
}

void sampler_release(struct sampler *s)
{
	close(s->timer);
	vec_release(&s->probes);
}

void sampler_clear(struct sampler *s, struct tasks *t)
{
	for (struct process *p = t->processes; p; p = p->next)
		for (struct task *task = p->tasks; task; task = task->next)
			task_forget_samples(task);
	vec_release(&s->probes);
}

void sampler_add(struct sampler *s, uint32_t probe, uint64_t interval)
{
	*vec_push(&s->probes) = (struct sampler_probe){
		.probe = probe, .interval = max_u64(interval, 1)};
}

static void set_timer(const struct sampler *s)
{
	struct itimerspec at = {0};
	uint64_t next = UINT64_MAX;

	for (size_t i = 0; i < s->probes.len; i++)
		next = min_u64(next, s->probes.data[i].next);
	if (s->probes.len > 0) {
		at.it_value.tv_sec = (time_t)(next / NSEC_PER_SEC);
		at.it_value.tv_nsec = (long)(next % NSEC_PER_SEC);
	}
	timerfd_settime(s->timer, TFD_TIMER_ABSTIME, &at, NULL);
}

void sampler_start(struct sampler *s)
{
	uint64_t now = clock_now_ns();

	s->looked_at = now;
	for (size_t i = 0; i < s->probes.len; i++)
		s->probes.data[i].next = now + s->probes.data[i].interval;
	set_timer(s);
}

/* Sets which probes are due. Returns how long the scan may take, ns; 0: none is due. */
static uint64_t begin_turn(struct sampler *s, uint64_t now)
{
	uint64_t shortest = 0;

	for (size_t i = 0; i < s->probes.len; i++) {
		struct sampler_probe *p = &s->probes.data[i];

		p->is_due = p->next <= now;
		if (!p->is_due)
			continue;
		p->turn = p->next + (now - p->next) / p->interval * p->interval;
		p->next = p->turn + p->interval;
		if (!shortest || p->interval < shortest)
			shortest = p->interval;
	}
	return shortest;
}

/* A thread that is looked at for the first time. What it ran before us does not count. */
static void meet(struct sampler *s, struct task *task)
{
	struct task_samples *own =
		oom_calloc(1, sizeof(*own) + s->probes.len * sizeof(own->probe[0]));
	uint64_t before = 0;

	own->counter = s->ncounters < COUNTERS_MAX ? runtime_counter(task->tid) : -1;
	s->ncounters += own->counter >= 0;
	runtime_read(-1, task->tid, &before);
	own->seen = own->counter < 0 ? before : 0;
	task->samples = own;
	for (size_t i = 0; i < s->probes.len && task->is_born; i++) {
		own->probe[i].owed = before + s->probes.data[i].left;
		s->probes.data[i].left = 0;
	}
}

/* Adds what the thread has run since the last look. */
static void note_run_time(struct sampler *s, struct task *task, uint64_t elapsed)
{
	struct task_samples *own = task->samples;
	uint64_t now = own->seen, ran;

	if (runtime_read(own->counter, task->tid, &now))
		ran = now > own->seen ? now - own->seen : 0;
	else /* the system does not say: it is what it does now */
		ran = procfs_state(task->tid) == 'R' ? elapsed : 0;
	own->seen = now;
	for (size_t i = 0; i < s->probes.len; i++)
		own->probe[i].owed += ran;
}

/* Whether it owes a sample of a due probe. What no stop can stand for is missed. */
static bool is_owing(struct sampler *s, struct task *task)
{
	bool owes = false;

	for (size_t i = 0; i < s->probes.len; i++) {
		const struct sampler_probe *p = &s->probes.data[i];
		uint64_t most = max_u64(SAMPLES_MAX, SAMPLES_MAX_TIME / p->interval);
		uint64_t n = task->samples->probe[i].owed / p->interval;

		if (n > most) {
			s->missed += n - most;
			task->samples->probe[i].owed -= (n - most) * p->interval;
		}
		owes |= p->is_due && n > 0;
	}
	return owes;
}

static void interrupt(const struct sampler *s, struct task *task)
{
	for (size_t i = 0; i < s->probes.len; i++) {
		const struct sampler_probe *p = &s->probes.data[i];
		uint64_t n = task->samples->probe[i].owed / p->interval;

		if (!p->is_due)
			continue;
		task->samples->probe[i].owed -= n * p->interval;
		task->samples->probe[i].due += (uint32_t)n;
	}
	task->has_samples = true;
	task_interrupt(task);
}

struct turn {
	uint64_t deadline, elapsed;
	unsigned looks;
	bool is_over;
};

static void look_at(struct sampler *s, struct turn *turn, struct task *task)
{
	if (task->state != TASK_RUNNING || task->is_leaving)
		return;
	if (turn->is_over || (++turn->looks % LOOKS_PER_GLANCE == 0 &&
			      clock_now_ns() >= turn->deadline)) {
		if (!turn->is_over)
			s->cursor = task->tid;
		turn->is_over = true;
		return;
	}
	if (!task->samples)
		meet(s, task);
	note_run_time(s, task, turn->elapsed);
	if (is_owing(s, task) && procfs_state(task->tid) == 'R')
		interrupt(s, task);
}

/* Scans all threads once, from the one that the last scan did not reach. */
static void look_around(struct sampler *s, const struct tasks *t, struct turn *turn)
{
	int from = task_find(t, s->cursor) ? s->cursor : 0;

	s->cursor = 0;
	for (int round = 0; round < 2; round++) {
		bool is_in = from == 0;

		for (struct process *p = t->processes; p; p = p->next) {
			if (p->role != ROLE_TRACED)
				continue;
			for (struct task *task = p->tasks; task; task = task->next) {
				is_in |= task->tid == from;
				if (is_in == (round == 0))
					look_at(s, turn, task);
			}
		}
		if (from == 0)
			break;
	}
}

void sampler_turn(struct sampler *s, struct tasks *t)
{
	uint64_t expirations, now, time;
	struct turn turn = {0};

	if (s->probes.len == 0 ||
	    read(s->timer, &expirations, sizeof(expirations)) != sizeof(expirations))
		return;
	now = clock_now_ns();
	time = begin_turn(s, now);
	turn.deadline = now + time / 2;
	turn.elapsed = now - s->looked_at;
	s->looked_at = now;
	if (time)
		look_around(s, t, &turn);
	set_timer(s);
}

void sampler_fire(struct sampler *s, struct keeper_program *p, struct task *task,
		  const struct regs *regs, bool is_in_call)
{
	uint64_t now = clock_now_ns();
	uint64_t in_kernel = is_in_call ? UINT64_MAX : 0; /* where is not known */

	task->has_samples = false;
	for (size_t i = 0; i < s->probes.len; i++) {
		struct sampler_probe *probe = &s->probes.data[i];
		const uint64_t args[] = {in_kernel, regs_pc(regs), now - probe->turn};
		struct fire f = {.program = p,
				 .task = task,
				 .regs = regs,
				 .args = args,
				 .nargs = ARRAY_LEN(args)};

		for (; task->samples->probe[i].due; task->samples->probe[i].due--) {
			s->taken++;
			if (task->process->role == ROLE_TRACED)
				fire_probe(&f, probe->probe);
		}
	}
}

/* The samples that the thread still owes; *rest of probe i: the ns beyond them. */
static uint64_t count_owed(const struct sampler *s, const struct task *task, size_t i,
			   uint64_t *rest)
{
	uint64_t interval = s->probes.data[i].interval;

	*rest = task->samples->probe[i].owed % interval;
	return task->samples->probe[i].due + task->samples->probe[i].owed / interval;
}

void sampler_forget(struct sampler *s, struct task *task)
{
	uint64_t rest;

	if (!task->samples)
		return;
	if (task->samples->counter >= 0)
		note_run_time(s, task, 0);
	for (size_t i = 0; i < s->probes.len; i++) {
		s->missed += count_owed(s, task, i, &rest);
		s->probes.data[i].left += rest;
	}
	s->ncounters -= task->samples->counter >= 0;
	task_forget_samples(task);
}

void sampler_report(struct sampler *s, const struct tasks *t, int link)
{
	struct keeper_msg m = {.type = KEEPER_EV_MISSED, .missed.taken = s->taken};
	uint64_t rest;

	for (const struct process *p = t->processes; p; p = p->next)
		for (const struct task *task = p->tasks; task; task = task->next)
			for (size_t i = 0; task->samples && i < s->probes.len; i++)
				s->missed += count_owed(s, task, i, &rest);
	m.missed.samples = s->missed;
	/* If the front has gone, the watcher notices. */
	if (s->taken || s->missed)
		link_send(link, &m, NULL, 0);
}

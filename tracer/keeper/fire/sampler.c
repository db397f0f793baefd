/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/fire/sampler.h"
#include "tracer/keeper/fire/fire.h"
#include "tracer/keeper/os/link.h"
#include "tracer/keeper/os/ptrace.h"
#include "vm/base/host/clock.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

#include <stdlib.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define NSEC_PER_SEC	UINT64_C(1000000000)
#define REPORT_INTERVAL NSEC_PER_SEC
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
		for (struct task *task = p->tasks; task; task = task->next) {
			free(task->samples);
			task->samples = NULL;
			task->has_samples = false;
		}
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

	for (size_t i = 0; i < s->probes.len; i++)
		s->probes.data[i].next = now + s->probes.data[i].interval;
	set_timer(s);
}

/*
 * Sets which probes are due. Returns how long the scan may take, in ns; 0: none is due.
 * *late: periods that passed unseen, missed by each thread that is found running.
 */
static uint64_t begin_turn(struct sampler *s, uint64_t now, uint64_t *late)
{
	uint64_t shortest = 0;

	*late = 0;
	for (size_t i = 0; i < s->probes.len; i++) {
		struct sampler_probe *p = &s->probes.data[i];
		uint64_t turns;

		p->is_due = p->next <= now;
		if (!p->is_due)
			continue;
		turns = (now - p->next) / p->interval;
		p->turn = p->next + turns * p->interval;
		p->next = p->turn + p->interval;
		*late += turns;
		if (!shortest || p->interval < shortest)
			shortest = p->interval;
	}
	return shortest;
}

static void interrupt(const struct sampler *s, struct task *task)
{
	if (!task->samples)
		task->samples = oom_calloc(s->probes.len, sizeof(*task->samples));
	for (size_t i = 0; i < s->probes.len; i++)
		task->samples[i] += s->probes.data[i].is_due;
	task->has_samples = true;
	task_interrupt(task);
}

struct turn {
	uint64_t deadline, late;
	unsigned looks;
	uint64_t left_out;
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
		turn->left_out++;
		return;
	}
	if (procfs_state(task->tid) != 'R')
		return;
	s->missed += turn->late;
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

void sampler_turn(struct sampler *s, struct tasks *t, int link)
{
	uint64_t expirations, now, time;
	struct turn turn = {0};

	if (s->probes.len == 0 ||
	    read(s->timer, &expirations, sizeof(expirations)) != sizeof(expirations))
		return;
	now = clock_now_ns();
	time = begin_turn(s, now, &turn.late);
	turn.deadline = now + time / 2;
	if (time)
		look_around(s, t, &turn);
	s->missed += turn.left_out;
	set_timer(s);
	if (now - s->reported_at >= REPORT_INTERVAL) {
		s->reported_at = now;
		sampler_report(s, link);
	}
}

void sampler_fire(struct sampler *s, struct keeper_program *p, struct task *task,
		  const struct regs *regs)
{
	uint64_t now = clock_now_ns();

	task->has_samples = false;
	for (size_t i = 0; i < s->probes.len; i++) {
		struct sampler_probe *probe = &s->probes.data[i];
		const uint64_t args[] = {0, regs_pc(regs), now - probe->turn};
		struct fire f = {.program = p,
				 .task = task,
				 .regs = regs,
				 .args = args,
				 .nargs = ARRAY_LEN(args)};

		for (; task->samples[i]; task->samples[i]--)
			if (task->process->role == ROLE_TRACED)
				fire_probe(&f, probe->probe);
	}
}

void sampler_report(struct sampler *s, int link)
{
	struct keeper_msg m = {.type = KEEPER_EV_MISSED, .missed.samples = s->missed};

	/* If the front has gone, the watcher notices. */
	if (s->missed && link_send(link, &m, NULL, 0) == 0)
		s->missed = 0;
}

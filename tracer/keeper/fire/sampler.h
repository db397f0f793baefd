/* SPDX-License-Identifier: MIT */
/*
 * The profile probes: at each turn every traced thread that is runnable is
 * interrupted, and fires when it stops.
 *
 *	timer --> sampler_turn(): PTRACE_INTERRUPT --> its stop --> sampler_fire()
 *
 * A thread that has not run since the turn before stands where it stood then: its
 * stop counts for both. So nothing is lost by threads that wait for a processor; only
 * looking at very many threads can take longer than a turn, and is told.
 *
 * Known limit: an interrupted call that has written a part to a full pipe or socket
 * returns that part, as after a signal.
 */
#ifndef TRACER_KEEPER_FIRE_SAMPLER_H
#define TRACER_KEEPER_FIRE_SAMPLER_H

#include "tracer/keeper/keeper.h"
#include "tracer/keeper/space/program.h"
#include "tracer/keeper/space/task.h"

struct sampler {
	int timer; /* timerfd; readable when a turn is due */
	struct {
		struct sampler_probe {
			uint32_t probe;
			uint64_t interval, next; /* ns of CLOCK_MONOTONIC */
			uint64_t turn;		 /* the last one's time */
			bool is_due;		 /* in the turn under way */
		} * data;
		size_t len, cap;
	} probes;
	int cursor; /* tid that the turn before did not come to, 0: none */
	uint64_t missed, reported_at;
};

int sampler_init(struct sampler *s);
void sampler_release(struct sampler *s);
/* Begins anew, without probes; tasks forget what they were to be sampled for. */
void sampler_clear(struct sampler *s, struct tasks *t);
void sampler_add(struct sampler *s, uint32_t probe, uint64_t interval);
/* Sets the timer for the first turn. */
void sampler_start(struct sampler *s);

/* Interrupts who is running, if a turn is due. */
void sampler_turn(struct sampler *s, struct tasks *t, int link);
/* The thread has stopped, with these registers: its probes fire. */
void sampler_fire(struct sampler *s, struct program *p, struct task *task,
		  const struct regs *regs);
/* Tells the front what was missed. */
void sampler_report(struct sampler *s, int link);

#endif

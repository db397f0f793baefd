/* SPDX-License-Identifier: MIT */
/*
 * The profile probes. In each period every traced thread that is runnable is interrupted,
 * and fires when it stops.
 *
 *	timer --> sampler_turn(): PTRACE_INTERRUPT --> its stop --> sampler_fire()
 *
 * A thread that has not run since the last period is where it was then: its stop counts
 * for both, so no sample is lost while it waits for a processor. With very many threads a
 * scan may exceed one period; the missed samples are reported.
 *
 * A thread that has just begun a system call is interrupted in it: the call goes on
 * (os/cut_call.h). If the stop at its entry or exit comes first, that is the sample.
 */
#ifndef TRACER_KEEPER_FIRE_SAMPLER_H
#define TRACER_KEEPER_FIRE_SAMPLER_H

#include "tracer/keeper/keeper.h"
#include "tracer/keeper/space/keeper_program.h"
#include "tracer/keeper/space/task.h"

struct sampler {
	int timer; /* timerfd, owned; readable when a period has passed */
	struct {
		struct sampler_probe {
			uint32_t probe;
			uint64_t interval, next; /* ns of CLOCK_MONOTONIC */
			uint64_t turn;		 /* when the last period ended */
			bool is_due;		 /* in the scan under way */
		} * data;
		size_t len, cap;
	} probes;
	int cursor;	      /* thread that the last scan did not reach, or 0 */
	uint64_t missed;      /* samples, since the last report */
	uint64_t reported_at; /* ns of CLOCK_MONOTONIC */
};

/* STATUS_IO: there is no timer. */
int sampler_init(struct sampler *s);
void sampler_release(struct sampler *s);
/* Removes all probes, and the samples that tasks were interrupted for. */
void sampler_clear(struct sampler *s, struct tasks *t);
/* Adds a probe, by its index in the table; interval in ns. */
void sampler_add(struct sampler *s, uint32_t probe, uint64_t interval);
/* Starts the first period of all probes. */
void sampler_start(struct sampler *s);

/* If a period has passed: interrupts the threads that are running. */
void sampler_turn(struct sampler *s, struct tasks *t, int link);
/* The thread was interrupted and has stopped, with these registers: its probes fire. */
void sampler_fire(struct sampler *s, struct keeper_program *p, struct task *task,
		  const struct regs *regs);
/* Sends KEEPER_EV_MISSED if samples were missed. */
void sampler_report(struct sampler *s, int link);

#endif

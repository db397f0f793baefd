/* SPDX-License-Identifier: MIT */
/*
 * The profile probes: samples of threads that run, as many as their run times say.
 *
 *	timer --> sampler_turn(): run times --> PTRACE_INTERRUPT --> sampler_fire()
 *
 * In each period the run time of every traced thread is read (os/runtime.h). For each
 * interval that a thread has run it owes one sample. If it is runnable now, it is
 * interrupted and fires when it stops. If it sleeps, where it sleeps is not where it ran:
 * it owes until a scan finds it runnable. So the number of a thread's samples follows its
 * run time, also if it runs in bursts or waits for a processor, and however late a scan
 * is.
 * What a thread owes at its end is missed; the share of it is reported.
 *
 * The registers of the stop say whether the thread was in a system call: then the kernel
 * used the processor. Page faults and interrupts count as the program's own time.
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
			uint64_t left; /* ns that ended threads owed, less than one */
		} * data;
		size_t len, cap;
	} probes;
	int cursor;		/* thread that the last scan did not reach, or 0 */
	uint64_t taken, missed; /* samples */
	uint32_t ncounters;	/* runtime_counter(): so many are open */
	uint64_t looked_at;	/* ns of CLOCK_MONOTONIC: the last scan */
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

/* If a period has passed: interrupts the threads that have run and owe samples. */
void sampler_turn(struct sampler *s, struct tasks *t);
/*
 * The thread was interrupted and has stopped, with these registers: its probes fire.
 * is_in_call: it was in a system call.
 */
void sampler_fire(struct sampler *s, struct keeper_program *p, struct task *task,
		  const struct regs *regs, bool is_in_call);
/* The thread has ended. */
void sampler_forget(struct sampler *s, struct task *task);
/* At the end: sends KEEPER_EV_MISSED if there were samples. */
void sampler_report(struct sampler *s, const struct tasks *t, int link);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Frames that are left without a return: by an exception, a longjmp(), the end of a
 * thread. Sites of enum keeper_leave show where the stack pointer goes; the frames below
 * are found by CFI rows, and those of functions in space.frames fire, innermost first. No
 * return address is touched.
 */
#ifndef TRACER_KEEPER_FIRE_UNWOUND_H
#define TRACER_KEEPER_FIRE_UNWOUND_H

#include "tracer/keeper/space/keeper_program.h"
#include "tracer/keeper/space/task.h"

/* The thread is at such a site. */
void unwound_reach(struct keeper_program *program, struct task *task,
		   const struct regs *regs, enum keeper_leave leave);

#endif

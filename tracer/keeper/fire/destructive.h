/* SPDX-License-Identifier: MIT */
/*
 * Destructive actions of clauses, on the stopped thread that fired.
 */
#ifndef TRACER_KEEPER_FIRE_DESTRUCTIVE_H
#define TRACER_KEEPER_FIRE_DESTRUCTIVE_H

#include "tracer/keeper/space/task.h"
#include "vm/base/host/chill.h"
#include "vm/base/taddr.h"
#include "vm/env.h"

/*
 * As vm_env.write(). STATUS_FAULT also for bytes of an instruction that we have changed:
 * it was planned for as it is.
 */
int destructive_write(const struct task *task, taddr addr, const void *buf, size_t n,
		      taddr *bad);
/* As vm_env.control(). */
int destructive_control(const struct task *task, struct chill *chill,
			enum vm_control what, uint64_t value);

#endif

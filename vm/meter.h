/* SPDX-License-Identifier: MIT */
/*
 * What firings cost. Where state_config.nmeters is not 0, vm_fire() counts the firings of
 * each probe in each slot, and measures some of them: the second to the eighth, for the
 * first one meets cold memory, and each 64th. The time is that of the clauses, read
 * from the clock of the execution context (BUILTIN_timestamp); what reading it takes, as
 * measured at the same moment, is subtracted. A firing that took more than 32
 * times the shortest one, and 1.6 us, was interrupted: it counts as so much.
 */
#ifndef VM_METER_H
#define VM_METER_H

#include "vm/vm.h"

#define METERS_MAX     16384u
#define METERS_OFF_MAX (1u << 20) /* ids from here on cannot be switched off */

struct meter {
	uint32_t probe; /* id; 0: those that found no meter free */
	uint64_t fired; /* how often */
	uint64_t timed; /* how many of them were measured, */
	uint64_t ns;	/* and what these took */
};

/*
 * Copies meter number i of the slot; false: there are no more. The block may change
 * meanwhile, or tell lies: any numbers may come out.
 */
bool meter_read(const struct state *s, uint32_t slot, uint32_t i, struct meter *out);

/*
 * From now on the probe fires in no process, thread and context of the run, where firings
 * are measured. home: the block of the front. False: its id is too large.
 */
bool meter_switch_off(struct state *home, uint32_t probe);

/*
 * For who fires without vm_fire(): calls fire(ctx), and counts and measures it for the
 * probe. Its result: whether the probe has fired.
 */
bool meter_fire(const struct vm *vm, uint32_t probe, bool (*fire)(void *ctx),
		void *ctx);

#endif

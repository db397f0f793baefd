/* SPDX-License-Identifier: MIT */
/*
 * The machine in this process: dtrace itself is an execution context, in which the
 * clauses of BEGIN, END, ERROR, tick probes and some of diag run. The process that they
 * see is dtrace: its memory is what copyin() reads. No memory can be written.
 */
#ifndef TRACER_BASE_HOST_ENV_H
#define TRACER_BASE_HOST_ENV_H

#include "vm/base/host/chill.h"
#include "vm/vm.h"

struct vm_table;

/* The arguments of a probe that is fired here. */
struct host_args {
	uint64_t value[10]; /* of a text: its address */
	const char *text[10];
	int pid; /* the process in which symbols are looked up; 0: dtrace */
};

/* The clock of a recording. */
struct host_past {
	bool is_set; /* else the clock is that of the machine */
	uint64_t now;
	bool has_wall;
	uint64_t wall_offset; /* wall clock - now; only if has_wall */
};

struct host_env {
	struct vm vm;
	struct host_past past;
	struct chill chill;
	const char *command;	       /* borrowed: execname */
	const struct vm_probe *probes; /* of the table in use */
	const struct host_args *args;  /* of the probe being fired; NULL: none */
};

/* image and state are verified and borrowed, and so is command. */
void host_env_init(struct host_env *h, const void *image, struct state *state,
		   const char *command);
/* Fires by this table from now on; borrowed. */
void host_env_use(struct host_env *h, const struct vm_table *table);

void host_env_fire(struct host_env *h, uint32_t probe_id, enum vm_fire_flag flag);
/* Fires a tick or profile probe: arg0 is 0, arg1 an address in dtrace, as if dtrace had
 * been interrupted there. */
void host_env_fire_clock(struct host_env *h, uint32_t probe_id);
/* Fires a probe with arguments. */
void host_env_fire_with(struct host_env *h, uint32_t probe_id,
			const struct host_args *args);
/* The same by vm_fire_unheard(). */
void host_env_fire_unheard(struct host_env *h, uint32_t probe_id,
			   enum vm_fire_flag flag, const struct host_args *args);

/* The wall clock at a time of the recording; 0: that does not tell. */
uint64_t host_past_wall(const struct host_past *past, uint64_t time);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * A traced process as dtrace knows it: what is mapped in it, the sites of its probes, and
 * its state. The names in capitals are events of the keeper:
 *
 *	-c:	EXEC -> HOLD at the loader's rendezvous -> ready, held
 *	-p:	ready, running
 *	then:	sites sent -> resumed
 *	later:	EXEC	a new image: as after -c
 *		HOLD	an object was loaded or unloaded
 *		FORK	a child that is followed: held and ready at once
 *		EXIT	the end
 *
 * Only the keeper changes the process. dtrace reads its maps, its files and, through a
 * descriptor that the keeper opened, its memory.
 */
#ifndef TRACER_TARGETS_TARGET_H
#define TRACER_TARGETS_TARGET_H

#include "disasm/disasm.h"
#include "hook/hook.h"
#include "symbols/symbols.h"
#include "tracer/base/core.h"
#include "tracer/base/placed_sites.h"
#include "vm/base/host/map.h"
#include "vm/base/proc/procmem.h"

/* There may be hundreds of thousands. */
struct target_pending {
	struct keeper_site site;     /* probe holds the probe's id */
	const struct module *module; /* of a site that may take a jump, else NULL */
	/* Bytes of its function's part before the site, and from it on. */
	uint32_t before;
	uint32_t after : 31;
	uint32_t may_jump : 1; /* while it is planned: its clauses can run there */
};

static inline taddr target_pending_lo(const struct target_pending *s)
{
	return taddr_add(s->site.addr, -(int64_t)s->before);
}

static inline taddr target_pending_hi(const struct target_pending *s)
{
	return taddr_add(s->site.addr, (int64_t)s->after);
}

struct target_sites {
	struct target_pending *data;
	size_t len, cap;
};

struct target_plans {
	struct hook_plan *data;
	size_t len, cap;
};

struct target {
	int pid;
	int family; /* the process id in its probes' names: pid, unless it is followed */
	bool created;	  /* by -c */
	bool is_launcher; /* of -c: a program that executes another one; until it does */
	bool is_named;	  /* by -c or -p, or followed: the run ends with the last one */
	bool is_siteless; /* it gets no probes of pid and fpid */
	bool follows;	  /* its children are traced, those that exist already too */
	bool alive, ready;
	bool held;		     /* waits for KEEPER_REQ_RESUME */
	bool active;		     /* tracing has begun: new sites are sent at once */
	uint64_t cpu_begin, cpu_now; /* ns that it has run: of -x overhead */
	int mem_fd;		     /* target_take_memory() */
	struct procmem *memory;	     /* for target_read(); NULL: not open */
	struct modules *modules;
	taddr rendezvous;      /* the loader's _dl_debug_state, or 0 */
	taddr r_debug;	       /* its struct r_debug */
	bool is_list_reported; /* its damaged list of objects */
	struct map unlisted;   /* module -> since when, in ns: linkmap.h */
	taddr start;	       /* where evaltime main or postinit holds it, or 0 */
	struct {
		bool is_watched; /* a description may match code that is mapped later */
		bool is_often;	 /* it maps memory so often that no call is watched */
		uint32_t nnotices;
		bool is_looking; /* such code is looked for now */
		struct {
			struct mapped_sample {
				uint64_t addr;
				uint8_t byte;
			} * data;
			size_t len, cap;
		} samples; /* a site of each object, and what is there */
		/* Executable memory as the kernel counts it, in KiB: when it was last
		 * looked for; and how much more that is than its mappings have. */
		uint64_t kib, surplus;
		struct {
			taddr *data;
			size_t len, cap;
		} calls; /* hold sites behind its system calls that map memory */
		struct {
			taddr *data;
			size_t len, cap;
		} moves;	  /* of those that move memory, or make code writable */
		bool moves_often; /* so often that these are not watched */
		bool is_written;  /* a line says that it can write to its code */
	} mapped;		  /* mapped/mapped.h */
	struct target_sites sites; /* pending: not sent yet */
	struct {
		struct addr_range *data;
		size_t len, cap;
	} ranges;		     /* of pending RETURN sites */
	struct target_plans plans;   /* of those that may take a jump: plan_next() */
	enum keeper_reason no_jumps; /* for listings: why the process can have none */
	struct map has_rows;  /* module -> how many CFI rows the keeper has of it */
	bool has_python;      /* the keeper knows, or it is of no use */
	bool is_cut_reported; /* not all of them fit */
	struct placed_sites placed; /* every site of this image, sent or not */
	struct {
		struct target_semaphore {
			taddr addr;
			bool is_raised; /* the keeper was asked to */
		} * data;
		size_t len, cap;
	} semaphores; /* of USDT probes that have sites */
	struct {
		struct keeper_frame *data; /* probe: an id */
		size_t len, cap;
	} frames; /* functions whose frames fire when they are left */
	bool are_frames_sent;
	struct {
		struct tail_function {
			uint32_t probe;		    /* its return */
			bool takes_jumps, is_named; /* named: by no pattern */
			bool is_only;		    /* it leaves in no other way */
			const struct module *module;
			const struct symbol *symbol;
			size_t first, end; /* its sites are among these */
		} * data;
		size_t len, cap;
	} tail_functions; /* that end in tail calls, until their sites are sent */
	struct map
		watched; /* by lo: objects that were searched for what leaves frames */
	struct {
		struct saved_byte {
			uint64_t addr;
			uint8_t byte;
		} * data;
		size_t len, cap;
	} saved; /* original bytes of breakpoints, in case the keeper dies */
	struct {
		struct keeper_restore *data;
		size_t len, cap;
	} jumped; /* the same for jumps */
};

/* Adds a process. It has no memory (-1) and no modules yet. Owned by t. */
struct target *target_add(struct tracer *t, int pid);
/* The live target of this process id, or NULL. */
struct target *target_find(const struct tracer *t, int pid);

/* Reads n bytes of the target's memory; STATUS_FAULT if they are not all there. */
int target_read(const struct target *target, taddr addr, void *buf, size_t n);

/* Asks the keeper why the process can have no jumps; KEEPER_REASON_NONE: it can. */
enum keeper_reason target_jumps(struct tracer *t, const struct target *target);
/* From now on its children are traced, too. */
int target_follow(struct tracer *t, const struct target *target, struct err *e);
/* Lets a held target run; does nothing for others. */
int target_resume(struct tracer *t, struct target *target, struct err *e);

/*
 * Whether clauses of the probe may have run inside the process, which may have ended: it
 * was a target, and a jump was planned for the probe in its family.
 */
bool target_records(const struct tracer *t, uint32_t pid, const struct probe *p);

/* Whether there is, or was, a process of -c or -p; whether one of them still lives. */
bool targets_named(const struct tracer *t);
bool targets_alive(const struct tracer *t);
/* Asks the kernel whether all have ended, or are about to, which the keeper may not have
 * said yet. */
bool targets_have_ended(const struct tracer *t);

/*
 * Whether its image has gone, or is about to: then what failed for it needs no words, for
 * an event tells of that. Waits a moment for a process that is being killed.
 */
bool target_is_going(const struct target *target);
/* fd (taken over) becomes its memory: after an exec the old descriptor reads nothing. */
void target_take_memory(struct target *target, int fd);
/* Forgets all sites, but not the objects that were mapped. */
void target_forget_sites(struct target *target);
/* Forgets everything known of the image, which has gone. */
void target_forget_image(struct target *target);

void target_free(struct target *target);

#endif

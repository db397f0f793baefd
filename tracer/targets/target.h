/* SPDX-License-Identifier: MIT */
/*
 * A traced process as the front knows it: what is mapped in it, which sites
 * its probes have, and where it stands in its life:
 *
 *	spawn -> EXEC -> (loader's rendezvous) HOLD -> ready, held
 *	grab  -> ready, running
 *	ready -> sites sent -> resumed ... EXEC: all over again
 *	      ... HOLD: an object came or went  ... EXIT: gone
 *	      ... FORK: a followed child, held: ready at once
 *
 * The keeper does everything that touches the process; this side reads its
 * maps, its files and, through the keeper's descriptor, its text.
 */
#ifndef TRACER_TARGETS_TARGET_H
#define TRACER_TARGETS_TARGET_H

#include "disasm/disasm.h"
#include "hook/hook.h"
#include "symbols/symbols.h"
#include "tracer/base/core.h"
#include "vm/base/host/map.h"

struct target {
	int pid;
	int family;    /* whose name its probes have: pid, if it is not followed */
	bool created;  /* by -c */
	bool is_named; /* by -c or -p, or followed: the run ends with the last of them */
	bool alive, ready;
	bool held;   /* waits for KEEPER_REQ_RESUME */
	bool active; /* its sites are being sent: tracing has begun */
	int mem_fd;
	struct modules *modules;
	taddr rendezvous; /* the loader's _dl_debug_state, or 0 */
	taddr r_debug;	  /* its struct r_debug */
	taddr start;	  /* where evaltime main or postinit holds it, or 0 */
	struct {
		struct target_pending {
			struct keeper_site site;     /* probe holds the probe's id */
			const struct module *module; /* of fpid: may take a jump */
			struct addr_range part; /* of the function, that it is in */
		} * data;
		size_t len, cap;
	} sites; /* not yet sent */
	struct {
		struct addr_range *data;
		size_t len, cap;
	} ranges; /* of RETURN sites not yet sent */
	struct {
		struct hook_plan *data;
		size_t len, cap;
	} plans;		     /* of sites of fpid not yet sent: plan_sites() */
	enum keeper_reason no_jumps; /* for listings: what forbids them */
	struct map has_rows;	     /* modules whose rows the keeper was sent */
	struct map placed_at; /* address -> 1 + index in placed of its newest site */
	struct {
		struct placed_site {
			uint64_t addr;
			uint32_t probe, next;
		} * data;
		size_t len, cap;
	} placed; /* every site of this image, sent or not: none is added twice */
	struct {
		struct saved_byte {
			uint64_t addr;
			uint8_t byte;
		} * data;
		size_t len, cap;
	} saved; /* what stood where breakpoints are: used only if the keeper dies */
	struct {
		struct keeper_restore *data;
		size_t len, cap;
	} jumped; /* the same of jumps: keeper_death.h */
};

/* Adds a process that is traced from now on; it has no memory and no modules yet. */
struct target *target_add(struct tracer *t, int pid);
/* The live target of this process id, or NULL. */
struct target *target_find(const struct tracer *t, int pid);

/* Reads n bytes of the target's text; STATUS_FAULT. */
int target_read(const struct target *target, taddr addr, void *buf, size_t n);

/* What forbids jumps in the whole process, as the keeper sees it. */
enum keeper_reason target_jumps(struct tracer *t, const struct target *target);
/* Its children are traced from now on. */
int target_follow(struct tracer *t, const struct target *target, struct err *e);
/* Lets a held target run. */
int target_resume(struct tracer *t, struct target *target, struct err *e);

/* Whether a -c or -p process is (was) there, and whether one still lives. */
bool targets_named(const struct tracer *t);
bool targets_alive(const struct tracer *t);

/* fd becomes its memory: a new image has a new one, and that of the old reads nothing. */
void target_take_memory(struct target *target, int fd);
/* Forgets what served its probes; the objects that were mapped stay known. */
void target_forget_sites(struct target *target);
/* Forgets everything known of an image that is going or has gone. */
void target_forget_image(struct target *target);

void target_free(struct target *target);

#endif

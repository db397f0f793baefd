/* SPDX-License-Identifier: MIT */
/*
 * A provider makes the probes that a description asks for. Asked of every
 * provider in turn while a specifier is compiled, and again for the pid
 * providers when a target loads an object or executes.
 */
#ifndef TRACER_PROVIDER_H
#define TRACER_PROVIDER_H

#include "dlang/dlang.h"
#include "tracer/probe.h"
#include "vm/program.h"

struct tracer;

/* Ids of the probes that a description matches, each once, in order. */
struct match {
	struct {
		uint32_t *data;
		size_t len, cap;
	} ids;
	struct map seen;
	char hint[512]; /* why nothing matched: nearest names and so on; or empty */
};

void match_add(struct match *m, uint32_t id);
void match_release(struct match *m);

struct provider {
	const char *name;
	uint32_t contexts; /* enum exec_context bits: where its probes may fire */
	/* name/data/class stability of description and arguments (-v). */
	const char *attributes[5]; /* provider, module, function, name, args */
	/*
	 * Makes what the description asks for and does not exist yet; adds to m
	 * what it alone can match (names that are not literally those of the
	 * probe: a.out, pid$target). 0, or an error with its D_ tag. NULL: all its
	 * probes exist from the start.
	 */
	int (*provide)(const struct provider *self, struct tracer *t,
		       const struct dlang_probe_desc *desc, struct match *m,
		       struct err *e);
};

extern const struct provider prov_dtrace;
extern const struct provider prov_profile;
extern const struct provider prov_pid;
extern const struct provider prov_fpid;
extern const struct provider prov_proc;
extern const struct provider prov_syscall;
/* diag: what fires where the probes are, and what the front tells. */
extern const struct provider prov_diag, prov_diag_front;

/* What exists before it is asked for: BEGIN, END, ERROR; common rates. */
void prov_dtrace_init(struct tracer *t);
void prov_profile_init(struct tracer *t);
void prov_diag_init(struct tracer *t);

/* Interval in ns of a profile or tick probe's name; 0 if it is not one. */
uint64_t prov_profile_interval(const char *name);
/* Whether the keeper fires the probe, for each traced thread that is running. */
bool prov_profile_is_sampled(const struct tracer *t, const struct probe *p);

/* Makes all probes of the proc and syscall providers, for a listing of everything. */
void prov_proc_add_all(struct tracer *t);
void prov_syscall_add_all(struct tracer *t);
/* Whether there is, or need not be, a traced process; if not the hint says so. */
bool prov_has_process(const struct provider *self, const struct tracer *t,
		      const struct dlang_probe_desc *desc, struct match *m);
/* enum keeper_proc of a probe's name; the number of the system call. */
uint64_t prov_proc_number(const char *name);

/* args[] that a provider has by itself: argN of a type, or an inline of the library. */
struct prov_argument {
	const char *type;
	const char *inlined; /* NULL: arg with the same number */
};
/* Their number; *out: the first. */
uint32_t prov_proc_arguments(const char *name, const struct prov_argument **out);
uint32_t prov_diag_arguments(const char *name, const struct prov_argument **out);
uint64_t prov_syscall_number(const char *function);
/*
 * args[] of a call's probe: their number, at most PROV_CALL_ARGUMENTS. False: the
 * manual that they were taken from does not know the call.
 */
#define PROV_CALL_ARGUMENTS 6
bool prov_syscall_arguments(const char *function, const char *probe,
			    struct prov_argument out[PROV_CALL_ARGUMENTS], uint32_t *n);

/*
 * Makes the pid and fpid probes of one more object of a target. Nothing that
 * does not match is an error.
 */
struct target;
struct module;
void prov_pid_module(struct tracer *t, struct target *target, struct module *module,
		     const char *const field[4], struct match *m);

/*
 * All probes the description matches. D_PDESC_ZERO when there are none,
 * unless zero_ok; D_PDESC_INVAL for an unknown id.
 */
int match_probes(struct tracer *t, const struct dlang_probe_desc *desc, bool zero_ok,
		 struct match *m, struct err *e);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The state of one run, shared by the files of tracer/ and nobody else.
 */
#ifndef TRACER_TRACE_H
#define TRACER_TRACE_H

#include "dlang/dlang.h"
#include "tracer/consume.h"
#include "tracer/link.h"
#include "tracer/options.h"
#include "tracer/out.h"
#include "tracer/probe.h"
#include "tracer/provider.h"
#include "tracer/target.h"
#include "tracer/tracer.h"
#include "tracer/view.h"
#include "vm/base/host/chill.h"
#include "vm/base/host/map.h"

/* One -n, -s, ... argument. */
struct trace_program {
	enum tracer_spec kind;
	char *text; /* the argument */
	char *name; /* as messages show it */
	struct dlang_program compiled;
	uint32_t nmatched; /* (probe, clause) pairs */
};

/* One specifier of one clause, kept to be applied to objects that come later. */
struct trace_spec {
	uint32_t clause;
	uint32_t id;
	char *field[4];
	struct {
		uint32_t *data;
		size_t len, cap;
	} ids;		 /* what it matched when compiled */
	struct map seen; /* the same as a set, and what it matched since */
};

struct typing; /* typing.h */

/* Ids of the probes of prov_diag.c. */
struct diag_probes {
	uint32_t raw, lost, cut, site;
};

struct tracer {
	const char *argv0, *command; /* the second is the base name of the first */
	int noperands;
	char *const *operands;
	struct options options;
	struct out *out;
	struct dlang *dlang;
	struct probes probes;
	struct link link;
	struct {
		struct target **data;
		size_t len, cap;
	} targets;
	struct {
		struct trace_program *data;
		size_t len, cap;
	} programs;
	struct {
		struct trace_spec *data;
		size_t len, cap;
	} specs;
	bool has_libraries; /* they were loaded, before the first program */
	bool zero_ok;	    /* -Z, -l: a specifier may match nothing */
	bool is_listing;    /* -l, -e: nothing is going to run */
	uint32_t clause;    /* being compiled */
	struct typing *typing;
	struct strmap copies_told; /* object`function: explain.h */

	/* While tracing. */
	void *image;
	size_t image_size;
	struct state *state;
	uint64_t state_size;
	uint32_t nslots;
	int state_fd;
	struct vm_table *table; /* what the keeper and the front's machine use */
	size_t table_size;
	uint32_t table_probes, table_epids; /* probes and enablings it was built from */
	struct diag_probes diag;
	const struct front_args *args; /* of what the front fires now; NULL: none */
	struct vm vm;
	struct chill chill;
	struct consumer *consumer;
	struct ustack *ustack; /* NULL: nothing that is printed needs names */
	bool wants_rows;       /* a clause asks for stacks */
	struct views views;    /* plan.c: of files that may be mapped again */
	struct {
		uint64_t jumps, breakpoints;
	} fpid_sites;	  /* how those of fpid are served */
	bool is_released; /* the targets run untraced: only their ends are news */
};

/* Messages on stderr: "dtrace: TEXT\n"; a notice is suppressed by quiet. */
void trace_error(const struct tracer *t, const char *fmt, ...) ATTR_PRINTF(2, 3);
void trace_notice(const struct tracer *t, const char *fmt, ...) ATTR_PRINTF(2, 3);

/* compile.c: all programs; 0 or -1 after printing the messages. */
int trace_compile(struct tracer *t);
/* Prints the diagnostics of one compilation. */
void trace_diagnostics(const struct tracer *t, const struct strbuf *messages);
/* Applies every pid specifier to one object of a target. */
void trace_apply_specs(struct tracer *t, struct target *target, struct module *m);

/*
 * table.c: the probe table of image, for the keeper and the front's machine.
 * Rebuilt, and sent if there is a keeper, when probes were added.
 */
int trace_update_table(struct tracer *t, struct err *e);

/* sources.c: tells the keeper which probes have no site. */
int trace_send_sources(struct tracer *t, struct err *e);

/*
 * buffers.c: the block. Says which sizes had to be lowered; fails where a clause's
 * data could never fit.
 */
int trace_make_buffers(struct tracer *t, struct err *e);

/* front.c: what the machine asks of its surroundings in this process. */
void front_init(struct tracer *t);
void front_fire(struct tracer *t, uint32_t probe_id, enum vm_fire_flag flag);
/*
 * The same with arguments, by vm_fire_unheard(); pid: the process that symbols are
 * looked for in.
 */
struct front_args {
	uint64_t value[10]; /* a text's is its address */
	const char *text[2];
	int pid;
};
void front_fire_unheard(struct tracer *t, uint32_t probe_id, enum vm_fire_flag flag,
			const struct front_args *args);

/* run.c: from BEGIN to the last line; the exit status. */
int trace_run(struct tracer *t);
/* A signal has asked for the end of tracing. */
bool trace_is_interrupted(void);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * struct tracer: the state of one run of dtrace, which all rooms share.
 *
 * A member whose type belongs to a higher room is an opaque pointer. The header named
 * beside the type defines it; tracer_new() and trace_run() set the pointer.
 */
#ifndef TRACER_BASE_CORE_H
#define TRACER_BASE_CORE_H

#include "tracer/base/host_env.h"
#include "tracer/base/id_set.h"
#include "tracer/base/link.h"
#include "tracer/base/options.h"
#include "tracer/base/probe.h"
#include "tracer/base/provider.h"
#include "vm/base/host/map.h"
#include "vm/base/probe_operand.h"

#include <signal.h>

struct out;		/* output/out.h */
struct ustack;		/* output/ustack.h */
struct jit;		/* jit/jit.h */
struct generated;	/* providers/generated.h */
struct progress;	/* output/progress.h */
struct consumer;	/* output/consume.h */
struct form;		/* output/form.h */
struct sources;		/* output/sources.h */
struct target;		/* targets/target.h */
struct typing;		/* targets/typing.h */
struct code_images;	/* targets/code_image.h */
struct symbols_ahead;	/* files/symbols_ahead.h */
struct plancache;	/* plancache/plancache.h */
struct dlang;		/* dlang/dlang.h */
struct programs;	/* trace.h */
struct overhead;	/* cost/overhead.h */
struct pictures;	/* pictures/pictures.h */
struct dumps;		/* dump/dump.h */
struct origin;		/* events/origin.h */
struct recorder;	/* recording/write/recorder.h */
struct recorded_probes; /* recording/replay/recorded_probes.h */
struct event_lists;	/* events/event_lists.h */
struct emitter;		/* emit/emit.h */
struct place_keys;	/* base/place_keys.h */

/* One specifier of one clause, kept to be applied to objects that come later. */
struct trace_spec {
	uint32_t clause;
	uint32_t id;
	char *field[4];
	struct {
		uint32_t *data;
		size_t len, cap;
	} ids;		    /* what it matched when compiled */
	struct id_set seen; /* the same as a set, and what it matched since */
	bool is_awaited; /* it may match nothing before another program is executed */
};

/* Sees the sites of targets while they are sent (targets/site_batch.h). */
struct site_observer {
	void *ctx;
	/* They are planned, and the program's own bytes are still there. */
	void (*planned)(void *ctx, const struct target *target);
	/* The keeper's answer; target still has the sites and their plans. */
	void (*answered)(void *ctx, const struct target *target,
			 const struct keeper_sites *sites);
};

/* Sees what becomes of traced processes. */
struct process_observer {
	void *ctx;
	void (*image)(void *ctx, int pid); /* it has other code than before */
	void (*ended)(void *ctx, int pid);
};

/* Ids of the probes of prov_diag.c. */
struct diag_probes {
	uint32_t fpid, lostevent, missed_ustack, site;
};

struct tracer {
	const char *argv0, *command; /* the second is the base name of the first */
	struct options options;
	struct out *out;
	struct progress *progress; /* NULL: nothing has been prepared yet */
	struct link link;
	/* How many signals have asked for the end of tracing. Borrowed; NULL: not
	 * tracing. */
	const volatile sig_atomic_t *interrupts;
	/* Whether all processes of -c and -p have ended (targets/target.h); and what it
	 * said at last: nothing more is prepared then. NULL: there are none. */
	bool (*targets_have_ended)(const struct tracer *t);
	bool is_pointless;

	/* What is traced. */
	bool is_past;	       /* a recording is replayed: no process can be traced */
	struct origin *origin; /* of the kernel's events; owned */
	struct recorded_probes *recorded; /* of a recording of ours; or NULL */
	struct map recorded_traced; /* its processes, if other events do not count */
	struct event_lists *event_lists;	 /* NULL: no event is left out; owned */
	const struct provider *const *providers; /* borrowed; nproviders */
	size_t nproviders;
	struct probes probes;
	struct {
		struct probe_operands *data;
		size_t len, cap;
		struct map by_hash; /* hash -> index + 1 */
	} operands;		    /* of sites with notes, by number; they only grow */
	struct diag_probes diag;
	struct {
		struct target **data;
		size_t len, cap;
	} targets; /* also those that have ended */

	/* What is compiled. */
	struct programs *programs;
	struct dlang *dlang;
	struct {
		struct trace_spec *data;
		size_t len, cap;
	} specs;
	uint32_t clause;	       /* being compiled */
	bool serves_machine;	       /* the kernel's events are permitted */
	bool zero_ok;		       /* -Z, -l: a specifier may match nothing */
	bool is_listing;	       /* -l, -e: nothing will run */
	bool has_told_alias;	       /* that names of Solaris match */
	struct typing *typing;	       /* types of the targets */
	struct place_keys *place_keys; /* of code where there are local variables */
	struct strmap reported_copies; /* object`function: providers/explain.h */
	void *image;		       /* the linked program, image_size bytes */
	size_t image_size;

	/* While tracing. */
	struct state *state; /* the home view: state_files, state_size bytes */
	uint64_t state_size;
	int state_files[STATE_REGIONS]; /* by region (vm/state.h); -1: not made */
	struct sources *sources;	/* all views */
	struct vm_table *table;		/* probe_table.h; table_size bytes */
	size_t table_size;
	uint32_t table_probes, table_epids; /* probes and enablings it was built from */
	uint32_t table_operands;
	struct host_env host;
	struct consumer *consumer;
	struct dumps *dumps;	   /* of dump() */
	struct emitter *emitter;   /* of emit(); NULL: none */
	struct form *form;	   /* of the output, borrowed by consumer; NULL: text */
	struct recorder *recorder; /* NULL: nothing is recorded */
	struct pictures *pictures; /* NULL: none are asked for */
	struct ustack *ustack;	   /* NULL: no address is printed with a name */
	struct jit *jit;	   /* what targets list of code that they make */
	struct generated *generated; /* NULL: no probe is in such code */
	struct code_images *images;  /* cache, for files that may be mapped again */
	struct symbols_ahead *symbols_ahead; /* NULL: no helper loads functions */
	struct plancache *plancache;	     /* plans of earlier runs */
	bool wants_rows;		     /* a clause asks for stacks */
	bool wants_frames; /* ... or for frames that are left: so do its probes */
	struct python_names *python_names; /* NULL: stacks have no frames of Python */
	bool wants_python;		   /* a clause asks for those of Python */
	struct {
		uint64_t jumps, breakpoints;
		uint64_t
			noticed; /* reasons that were printed: bits, by keeper_reason */
		uint64_t since;	 /* when the first were set */
		/* Of breakpoints: probe << 32 | arg0 -> its reason, a static text. */
		struct map why;
	} jump_sites; /* how the keeper serves sites that may take a jump */
	const struct site_observer *observer;	  /* borrowed; NULL: none */
	const struct process_observer *processes; /* the same */
	struct overhead *overhead;		  /* NULL: it is not asked for */
	struct cross *cross;			  /* NULL: this is no run of -x check */
	/* Watches where the target maps code without its loader (mapped/mapped.h); called
	 * when its objects have changed, before its sites are sent. NULL: nobody does. */
	void (*watch_mappings)(struct tracer *t, struct target *target);
	uint64_t next_mapped_turn; /* mapped_turn() */
	bool has_siteless; /* probes are enabled that fire in every traced process */
	bool has_exited;   /* exit() was called: ends of processes are not reported */
	bool is_released;  /* the targets run untraced: only their exits are reported */
};

/* A signal has asked for the end of tracing. */
static inline bool tracer_is_signalled(const struct tracer *t)
{
	return t->interrupts && *t->interrupts > 0;
}

/* Preparing is to end: for a signal, or because what it prepares for has ended. */
static inline bool tracer_is_interrupted(const struct tracer *t)
{
	return tracer_is_signalled(t) || t->is_pointless;
}

#endif

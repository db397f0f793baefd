/* SPDX-License-Identifier: MIT */
/*
 * The interface of a provider. A provider is a struct in a file of its own in providers/,
 * and a line in the table of providers/providers.c. No other code asks which provider a
 * probe has: what differs is a member here. All function pointers may be NULL.
 */
#ifndef TRACER_BASE_PROVIDER_H
#define TRACER_BASE_PROVIDER_H

#include "dlang/dlang.h"
#include "tracer/base/id_set.h"
#include "tracer/base/probe.h"
#include "tracer/keeper/keeper.h"
#include "vm/program.h"

struct tracer;
struct type;
struct types;
struct target;
struct module;

/* Ids of the probes that a description matches, each once, in order. */
struct match {
	struct {
		uint32_t *data;
		size_t len, cap;
	} ids;
	struct id_set seen; /* the same as a set */
	bool is_unsettled;  /* all of them need a process, and none is named yet */
	char hint[512];	    /* why nothing matched, for the error message; or empty */
	bool is_awaited;    /* that is no error: a later program may have the probes */
	bool is_explained;  /* hint is the reason, whatever else a recording holds */
};

/* Whether a field of a description selects the text: an empty one selects all. */
bool match_field(const char *pattern, const char *text);
void match_add(struct match *m, uint32_t id);
void match_release(struct match *m);

/* An object of a target, and the description whose probes are made in it. */
struct provider_object {
	struct target *target;
	struct module *module;
	const char *const *field; /* 4 */
};

#define PROVIDER_ARGUMENTS_MAX 10 /* arg0 to arg9 */

/* How a field of a tracepoint becomes an argument. */
enum kernel_as {
	KERNEL_VALUE,	/* as itself; of a text its address */
	KERNEL_PROCESS, /* the process of the thread that it names */
	KERNEL_DEVICE,	/* the address of the name of the disk */
	KERNEL_ADDRESS, /* the address of its bytes */
	KERNEL_NEGATED, /* with the other sign: an error's number of a result */
	KERNEL_CPU,	/* the processor of the event, whatever the field is */
	KERNEL_FAULT,	/* of a signal, whose code is arg2: the kind of fault, or 0 */
	KERNEL_ONE,	/* the number 1, without a field */
};

/* An argument. name NULL: none. */
struct kernel_field {
	const char *name;
	uint32_t element; /* of an array of numbers */
	enum kernel_as as;
};

/* What a field of an event must be for the event to count. field NULL: nothing. */
struct kernel_condition {
	const char *field;
	enum {
		KERNEL_IS,	/* value */
		KERNEL_ANY_BIT, /* of value is set */
		KERNEL_NO_BIT,	/* of value is set */
		KERNEL_ONE_OF,	/* the numbers below 64 whose bits value has */
	} test;
	uint64_t value;
};

#define KERNEL_CONDITIONS_MAX 4

/* How clauses see an event of the kernel that was not made for them. */
struct kernel_view {
	const char *match; /* only events count where this field has struct
			     * kernel_event.value; NULL: all */
	struct kernel_condition conditions[KERNEL_CONDITIONS_MAX];
	const char *thread; /* the field with the thread that fires; NULL: the one in
			     * which it happens */
	const char *result; /* negative: the clauses' errno, and -1 is seen */
	struct kernel_field args[PROVIDER_ARGUMENTS_MAX]; /* arg0 ... */
	const char
		*journal; /* the field with a journal (vm/journal.h): clauses see what
			      * it says; NULL: none */
};

/* The event of the kernel that fires a probe. */
struct kernel_event {
	const char *system, *name; /* a tracepoint; NULL: samples of a counter */
	uint64_t value;		   /* for match; of samples: each has counted so much */
	const struct kernel_view *view; /* NULL: its fields are the arguments */
	/* Of samples: type and config of perf_event_open(2), and what does not count. */
	uint32_t type, config;
	bool no_user, no_kernel;
	const struct kernel_event *also; /* one more that fires it; or NULL */
};

/* What fires a probe. */
struct provider_source {
	enum { SOURCE_SITES, SOURCE_KEEPER, SOURCE_CLOCK, SOURCE_EVENT } by;
	struct keeper_siteless event; /* SOURCE_KEEPER: kind and value */
	uint64_t interval;	      /* SOURCE_CLOCK: ns */
	struct kernel_event kernel;   /* SOURCE_EVENT; names as long as the probe */
};

/* One of args[]: argN with a type, or an inline of the D library. */
struct provider_argument {
	const char *type; /* NULL, without an inline: where it is is not understood */
	const char *inlined; /* name of the inline; NULL: arg with the same number */
};

struct provider_arguments {
	uint32_t n;
	struct provider_argument list[PROVIDER_ARGUMENTS_MAX];
	const char *why; /* not NULL: the arguments are unknown, and why */
};

struct provider {
	const char *name;
	uint32_t contexts; /* enum exec_context bits: where its probes may fire */
	/* name/data/class stability of description and arguments (-v). */
	const char *attributes[5]; /* provider, module, function, name, args */
	bool needs_process;	   /* it has no probes if no process is traced ... */
	bool may_be_machine;	   /* ... but for root, as far as source() says so */
	bool takes_jumps;	   /* a jump may serve its sites (targets/plan.h) */
	bool has_double_arrows;	   /* -F: its entries are "=>", its returns "<=" */

	/* Makes the probes that exist before a description asks for them. */
	void (*init)(const struct provider *self, struct tracer *t);
	/* Makes all other probes that need no description, for a listing of all. */
	void (*add_all)(const struct provider *self, struct tracer *t);
	/*
	 * Makes the probes that the description asks for and that do not exist yet.
	 * The caller matches the description against all names; provide() adds to m
	 * those that match although their names differ (a.out for the program's
	 * name). 0, or an error with its D_ tag.
	 */
	int (*provide)(const struct provider *self, struct tracer *t,
		       const struct dlang_probe_desc *desc, struct match *m,
		       struct err *e);
	/* The same for an object that was mapped later. What does not match, or fails,
	 * is left out. */
	void (*provide_object)(const struct provider *self, struct tracer *t,
			       const struct provider_object *o, struct match *m);
	/* Whether the provider field of a description means this provider in a certain
	 * process: "fpid123". */
	bool (*names_process)(const struct provider *self, const char *field);
	/* Whether it means this process, and those that it has made. NULL: never. */
	bool (*names_family)(const struct provider *self, const char *field,
			     int family);

	/* Whether the probe fires in every traced process, so that a predicate may name
	 * them. NULL: it does if the provider needs a process. */
	bool (*fires_in_all)(const struct probes *ps, const struct probe *p);
	/* The process whose object and function the probe names. */
	int (*process)(const struct probes *ps, const struct probe *p);
	/* args[] of the probe. NULL: those of its function, from debug data. */
	void (*arguments)(const struct probes *ps, const struct probe *p,
			  struct provider_arguments *out);
	/*
	 * The type of args[0], its only one: a pointer to what the event carries. NULL,
	 * and why in a static text: it is not known.
	 */
	const struct type *(*record)(const struct tracer *t, const struct probe *p,
				     struct types *ts, const char **why);
	/* What fires the probe; out is zeroed. NULL: SOURCE_SITES. */
	void (*source)(const struct tracer *t, const struct probe *p,
		       struct provider_source *out);

	/* For a provider that watches sites. Called before those of a target are planned:
	 * may add its own at the same addresses. */
	void (*add_sites)(struct tracer *t, struct target *target);
	/* Called with all objects known, before sites are sent, even if there are
	 * none. */
	void (*before_sending)(struct tracer *t, struct target *target);
	/* Called before pending sites are sent to the keeper, which they need. */
	void (*before_sites)(struct tracer *t, struct target *target);
	/* Called after the keeper has installed or refused the target's pending sites;
	 * sites is its answer. */
	void (*sites_answered)(struct tracer *t, const struct target *target,
			       const struct keeper_sites *sites);
};

/* Asks the probe's provider. */
struct provider_source provider_source(const struct tracer *t, const struct probe *p);
/* False: sites fire it, and provider_source() need not be asked. Most probes are such. */
static inline bool provider_has_source(const struct probe *p)
{
	return p->provider && p->provider->source;
}

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The probes that exist in this run, and the clauses that are enabled on each. Ids: 1
 * BEGIN, 2 END, 3 ERROR, then in the order of creation.
 */
#ifndef TRACER_BASE_PROBE_H
#define TRACER_BASE_PROBE_H

#include "vm/base/base.h"
#include "vm/base/host/map.h"
#include "vm/base/host/strbuf.h"
#include "vm/base/probe_operand.h"
#include "vm/vm.h"

enum probe_field { PROBE_PROVIDER, PROBE_MODULE, PROBE_FUNCTION, PROBE_NAME };

enum { PROBE_BEGIN = 1, PROBE_END = 2, PROBE_ERROR = 3 };

struct provider;

/* What the notes of all sites of a USDT probe say. */
struct probe_note_facts {
	int pid; /* that its provider names; 0: it is in a file that is listed */
	uint32_t nargs;
	/* The C type of each argument; NULL: its operand is not understood, or differs
	 * between sites in more than size and sign. Static text. */
	const char *type[PROBE_OPERANDS_MAX];
};

/* There may be a million of them. */
struct probe {
	uint32_t id;
	uint32_t name[4];  /* offsets into probes.names */
	bool is_off : 1;   /* by -x budget: it fires no more, and gets no new sites */
	bool is_mark : 1;  /* only a description that asks for its name matches it */
	bool is_frame : 1; /* the same; it has no site, but fires for frames */
	bool is_generated : 1; /* in code that the program makes at run time */
	bool may_jump : 1;     /* a site of it was sent to be served by a jump */
	const struct provider *provider;
	union {
		struct vm_enabling one;	  /* up to one */
		struct vm_enabling *list; /* room for a power of two */
	} enablings;			  /* in program order: probe_enablings() */
	uint32_t nenablings;
	uint32_t next; /* id of the next in its chain of probes.by_name; 0: the last */
};

static inline const struct vm_enabling *probe_enablings(const struct probe *p)
{
	return p->nenablings > 1 ? p->enablings.list : &p->enablings.one;
}

struct probes {
	struct {
		struct probe *data;
		size_t len, cap;
	} table;	     /* table.data[id - 1] */
	struct strbuf names; /* each stored once */
	uint32_t last[4];    /* offsets of the names that were looked for last */
	uint32_t former[4];  /* ... and before these: entry and return take turns */
	struct {
		uint32_t *data;
		size_t len, cap;
	} offsets;	      /* of each name in names */
	struct index strings; /* of offsets, by the name there */
	struct {
		uint32_t *heads; /* ids of probes; 0: the chain is empty */
		size_t n;	 /* chains: 0, or a power of two */
	} by_name;		 /* of table, by the four offsets */
	uint32_t nepids;
	struct map facts; /* id of a USDT probe -> its struct probe_note_facts, owned */
	/* The name of the type of args[n]; NULL: there is no such argument. The pointer
	 * may be NULL: nothing is known of arguments. */
	const char *(*argument)(void *ctx, const struct probe *p, uint32_t n);
	/* Appends the members of args[n], if the probe's provider has made them: a line
	 * "name: type" each. Set with argument. */
	void (*members)(void *ctx, const struct probe *p, uint32_t n,
			struct strbuf *text);
	void *argument_ctx;
	/*
	 * The clause that records the probe's firings, after all others;
	 * PROBES_NO_CLAUSE: none does. The pointer may be NULL: nothing is recorded.
	 */
	uint32_t (*recorder)(void *ctx, const struct probe *p);
	void *recorder_ctx;
};

#define PROBES_NO_CLAUSE UINT32_MAX

void probes_init(struct probes *ps);
void probes_release(struct probes *ps);

/* Creates the probe, unless there is one with exactly these names. Returns its id. */
uint32_t probes_add(struct probes *ps, const struct provider *prov,
		    const char *const name[4]);
/* The id of the probe with exactly these names; 0: there is none. */
uint32_t probes_find(struct probes *ps, const char *const name[4]);
/*
 * Gives back the memory that only these two need, 15 bytes a probe. The next call
 * makes it again, from all names and probes.
 */
void probes_drop_indexes(struct probes *ps);
/* NULL when there is no such id. The pointer is valid until the next probes_add(). */
struct probe *probes_get(const struct probes *ps, uint32_t id);
/* Text of one field. Valid until the next probes_add(). */
const char *probes_name(const struct probes *ps, const struct probe *p,
			enum probe_field f);
/* Those of a USDT probe: NULL if there are none yet. */
struct probe_note_facts *probes_facts(const struct probes *ps, const struct probe *p);
/* Makes the probe's facts, zeroed: there are none yet. */
struct probe_note_facts *probes_add_facts(struct probes *ps, const struct probe *p);
/*
 * Enables the clause on the probe, after those that are enabled already, and gives it
 * the next epid. A clause that two of its specifiers enable on one probe runs twice.
 */
void probes_enable(struct probes *ps, uint32_t id, uint32_t clause);
/* All clauses of the probe are enabled: the one that records them becomes the last. */
void probes_record(struct probes *ps, uint32_t id);

#endif

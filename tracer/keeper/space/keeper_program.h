/* SPDX-License-Identifier: MIT */
/*
 * The compiled D program in the keeper: private copies of the image and of the probe
 * table, which the front cannot change any more, and the shared state block.
 */
#ifndef TRACER_KEEPER_SPACE_KEEPER_PROGRAM_H
#define TRACER_KEEPER_SPACE_KEEPER_PROGRAM_H

#include "tracer/keeper/os/link.h"
#include "vm/base/host/chill.h"
#include "vm/base/host/err.h"
#include "vm/base/host/map.h"
#include "vm/base/probe_operand.h"
#include "vm/native.h"

struct python_words;

struct keeper_program {
	void *image;	     /* private copy, verified; NULL before KEEPER_REQ_BLOCK */
	struct state *state; /* the home view */
	uint64_t state_bytes;
	int files[STATE_REGIONS]; /* its regions; valid when image is not NULL */
	uint32_t nexchanges;	  /* made so far */
	void *table;		  /* private copy of the whole struct vm_table */
	uint32_t nprobes;
	const struct vm_probe *probes;
	const struct vm_probe *missed_ustack;  /* diag:::missed-ustack, or NULL */
	const struct probe_operands *operands; /* noperands */
	uint32_t noperands;
	struct vm vm; /* without env */
	uint64_t image_bytes, table_bytes;
	uint32_t version;   /* how many tables there have been */
	bool has_variables; /* vm_shares_variables() */
	bool stops_there;   /* some clause that runs in targets may end tracing */
	bool reads_there;   /* some clause that runs in targets may read their memory */
	bool interprets;    /* no clause becomes machine code */
	bool is_warm;	    /* keeper_program_warm() */
	struct native_code native; /* of the clauses that run in targets */
	struct chill chill;
	struct python_words *python_words; /* owned by the loop; NULL: not wanted */
	uint32_t ncopies;		   /* of processes, for dump() */
	uint32_t copies_max;		   /* of one family */
	struct map copies;		   /* family -> how many */
	uint64_t fired; /* probes, by this process; those of diag:::fpid do not count */
};

/*
 * KEEPER_REQ_BLOCK: copies and verifies the image, maps the home block and seals its
 * control against new mappings for writing. regions: a file for each. The descriptors
 * stay the caller's. On failure nothing changes.
 */
int keeper_program_load(struct keeper_program *p, struct link_memory image,
			const int *regions, struct err *e);
/* KEEPER_REQ_PROBES: copies and checks the table. On failure the old one stays in use. */
int keeper_program_set_probes(struct keeper_program *p, struct link_memory table,
			      struct err *e);

/*
 * Clauses will run in the keeper: the memory that their first firing writes to is there
 * before, so that no thread waits for it. Once; what cannot be had comes at that firing.
 */
void keeper_program_warm(struct keeper_program *p);

/*
 * Whether a probe at a site may be served by a jump: it is of fpid, or of a program's own
 * provider, and not of pid.
 */
bool keeper_program_may_jump(const struct keeper_program *p, uint32_t probe);

/* Whether a clause of the probe records something. */
bool keeper_program_records(const struct keeper_program *p, uint32_t probe);

/*
 * The program region of resident code (hook/resident.h): a sealed file of so many bytes,
 * the caller's, or negative. code: where the process has native.bytes; 0: nowhere.
 */
int keeper_program_file(const struct keeper_program *p, uint64_t code, uint64_t *bytes);

void keeper_program_release(struct keeper_program *p);

#endif

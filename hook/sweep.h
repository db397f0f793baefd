/* SPDX-License-Identifier: MIT */
/*
 * Private to branches.c, sweep.c, reach.c and switch_tables.c: what is known of a
 * module's code while it is read, a body at a time.
 */
#ifndef HOOK_SWEEP_H
#define HOOK_SWEEP_H

#include "disasm/disasm.h"
#include "hook/target.h"

struct addresses {
	uint64_t *data; /* vec */
	size_t len, cap;
};

struct area {
	uint64_t lo, hi;
	uint8_t *bits;	/* of [lo, hi) */
	uint8_t *insns; /* the same: where the sweep saw instructions begin */
};

struct body {
	uint64_t lo, hi;
	bool is_computed; /* where some jump in it goes is not known */
	bool runs_out;	  /* control may run out of its end */
	bool is_even;	  /* instructions fill it, and one begins at each start */
	bool is_read;	  /* all of this is known, and what leads into it */
	bool is_gap;	  /* between bodies: it is in no list */
};

struct hook_branches {
	struct area *areas;
	size_t nareas;
	struct addresses starts; /* sorted, unique */
	struct {
		struct body *data; /* vec; sorted, apart */
		size_t len, cap;
	} bodies;
	bool is_whole;	/* all code has been read */
	uint64_t steps; /* that reading its tables took: see switch_tables.c */
	struct {
		struct addr_range *data; /* vec */
		size_t len, cap;
	} known; /* if not: where it is known what arrives */
};

/* The reading of one area. */
struct sweep {
	const struct hook_module *module;
	struct hook_branches *branches;
	const struct hook_bytes *code;
	uint8_t *insns;	   /* where instructions begin, a bit for each byte ... */
	uint64_t insns_lo; /* ... from this address on */
	size_t next_start;
	struct {
		uint64_t spare;	      /* steps that all bodies may still take */
		uint64_t steps, most; /* of this body: taken, and allowed */
		uint8_t *judged;      /* two bits for each of its bytes */
		size_t cap;
	} tables; /* see switch_tables.c */
	struct {
		uint64_t at;
		size_t asked, n;
		uint8_t *bytes;
	} copy; /* of code that is in no window */
	/* of the body being read: */
	struct addresses loaded; /* by lea; sweep_tables() sorts them */
	struct addresses labels; /* those in the body itself */
	bool has_computed_jump;
	bool has_table;	      /* of distances that lead into the body */
	bool has_table_jump;  /* a jump by a distance read from a table */
	bool has_other_jump;  /* a computed jump that is by none */
	bool has_unread_jump; /* a jump by what no table here tells */
	bool is_unknown;      /* its tables take too long to read */
	unsigned since_load;  /* instructions since one that may have read a distance */
	bool runs_on;	      /* the last instruction goes on, or is not known */
	uint64_t end;	      /* of that instruction */
	bool is_even;	      /* see struct body */
	/* of all bodies: */
	struct addresses bases; /* in code, which jumps are computed from */
	struct {
		struct addr_range *data; /* vec: padding, and the instruction after */
		size_t len, cap;
	} orphans; /* in bodies with computed jumps, after what does not run on */
};

/* The area that holds pc, or NULL. */
struct area *sweep_area_of(const struct hook_branches *b, uint64_t pc);
/* The number of the first body that ends after pc. */
size_t sweep_first_behind(const struct hook_branches *b, uint64_t pc);
/* Whether it was marked so far: hook_branches_has() is for when all is read. */
bool sweep_is_marked(const struct hook_branches *b, uint64_t pc);
/* Control may arrive at pc. */
void sweep_mark(struct hook_branches *b, uint64_t pc);
/* Marks each byte from lo to hi. */
void sweep_mark_all(struct hook_branches *b, uint64_t lo, uint64_t hi);
/* Whether reading is to end: then nothing that was read is used. */
bool sweep_is_stopped(const struct sweep *s);
/* Whether an instruction of the body was seen to begin at pc. */
bool sweep_is_insn(const struct sweep *s, uint64_t pc, struct body body);
/*
 * The bytes of data from the address on, and how many there are: HOOK_HELD, or those up
 * to the end of its part. NULL: there are none.
 */
const uint8_t *sweep_data_at(const struct hook_module *m, uint64_t address,
			     size_t *left);

/* Begins to read code of the module; with insns of the area, or others. */
void sweep_begin(struct sweep *s, struct hook_branches *b, const struct hook_module *m);
void sweep_area_begin(struct sweep *s, size_t area);
void sweep_release(struct sweep *s);
/*
 * Reads a body of the area, from beginning to end and again from each start inside: its
 * tables, too. Bodies are read in the order of their addresses. True: where some jump
 * in it goes is not known.
 */
bool sweep_body(struct sweep *s, struct body body);
/* The same of one in the list, as far as the area has it; notes there what it is like. */
void sweep_listed(struct sweep *s, struct body *whole);
/* Notes what the instruction at the address does. */
void sweep_note(struct sweep *s, const struct insn_brief *in, uint64_t at,
		const uint8_t *bytes, struct body body);
/* Reads what is between bodies, if anything is. */
void sweep_gap(struct sweep *s, uint64_t lo, uint64_t hi);
/*
 * Of code linked for one address: words that may be pointers into it count as such. Few
 * others do. Of n bytes at the address, and of all data.
 */
void sweep_words_in(struct hook_branches *b, uint64_t at, const uint8_t *p, size_t n);
void sweep_data_words(struct sweep *s);
/* Once all is read: what jumps may lead to that nothing names. */
void sweep_computed(struct sweep *s);

/* Reads what may be switch tables of the body, once all of its code is read. */
void sweep_tables(struct sweep *s, struct body body);

#endif

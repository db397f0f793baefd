/* SPDX-License-Identifier: MIT */
/*
 * Private to branches.c and switch_tables.c: what is known of a module's code while it
 * is read, a body at a time.
 */
#ifndef HOOK_SWEEP_H
#define HOOK_SWEEP_H

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
};

struct hook_branches {
	struct area *areas;
	size_t nareas;
	struct addresses starts; /* sorted, unique */
	struct {
		struct body *data; /* vec; sorted, apart */
		size_t len, cap;
	} bodies;
};

/* The reading of one area. */
struct sweep {
	const struct hook_module *module;
	struct hook_branches *branches;
	const struct hook_bytes *code;
	uint8_t *insns; /* of the area */
	size_t next_start;
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
/* Control may arrive at pc. */
void sweep_mark(struct hook_branches *b, uint64_t pc);
/* Whether an instruction of the body was seen to begin at pc. */
bool sweep_is_insn(const struct sweep *s, uint64_t pc, struct body body);
/*
 * The bytes of data from the address on, and how many there are: HOOK_HELD, or those up
 * to the end of its part. NULL: there are none.
 */
const uint8_t *sweep_data_at(const struct hook_module *m, uint64_t address,
			     size_t *left);

/* Reads what may be switch tables of the body, once all of its code is read. */
void sweep_tables(struct sweep *s, struct body body);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Private to disasm/: which bytes of a function are instructions, if its code names bytes
 * among them: what it names may be a constant or a table.
 *
 *	reached	from the beginning, and wherever direct branches lead: instructions
 *	named	by an operand, and not reached: data, up to what is reached
 *	others	instructions one after the other, as if nothing were named
 *
 * Where a function jumps through a register or a table, an address that lea names may be
 * where it goes: if what is there looks like code, it is none of the named.
 */
#ifndef DISASM_FLOW_H
#define DISASM_FLOW_H

#include "disasm/disasm.h"

struct flow {
	const struct scan_request *req; /* borrowed */
	uint8_t *starts; /* a bit each byte: an instruction begins there */
	uint8_t *named;	 /* the same: an operand names it */
	uint8_t *taken;	 /* those of lea alone */
	bool has_indirect_jump;
	struct {
		uint32_t *data; /* vec: from where instructions are to be read */
		size_t len, cap;
	} work;
};

/* Reads the instruction at the offset: the status of decode_brief(). */
int flow_read(const struct scan_request *req, uint32_t at, struct insn_brief *out);
/* Whether the instruction at the offset names a byte among those, but the first. */
bool flow_names_itself(const struct scan_request *req, const struct insn_brief *in,
		       uint32_t at);
/*
 * Finds the instructions. Returns how many bytes were looked through: all, or those up to
 * where nothing can be decoded. The caller releases it.
 */
uint32_t flow_find(struct flow *f, const struct scan_request *req);
void flow_release(struct flow *f);
/*
 * The next instruction from the offset on that begins at *end, where those before end, or
 * behind it; n: there is none. Those on the way begin inside of others: *end is moved to
 * where they end.
 */
uint32_t flow_next(const struct flow *f, uint32_t at, uint32_t n, uint32_t *end);

#endif

/* SPDX-License-Identifier: MIT */
#include "tests/unit/support/brief.h"

#include <stdio.h>
#include <string.h>

#include "disasm/disasm.h"

#define AT 0x7f0012345678

static bool has_target(const struct insn *in)
{
	return in->kind == INSN_JMP || in->kind == INSN_JCC || in->kind == INSN_LOOP ||
	       in->kind == INSN_CALL ||
	       (in->kind == INSN_TRANSACTION && in->opcode == 0xc7);
}

static bool is_same(const struct insn *in, const struct insn_brief *b)
{
	bool ends_in_disp = in->rip_relative && in->disp_offset + 4 == in->len;
	bool is_lea = in->opcode == 0x8d && ends_in_disp && in->has_mem;
	bool is_indexed = in->has_mem && in->mem.index != INSN_NO_REG;
	taddr loaded = taddr_add(in->addr, in->len + in->mem.disp);

	return b->len == in->len && b->kind == in->kind && b->opcode == in->opcode &&
	       b->is_rip_relative == in->rip_relative && b->is_lea == is_lea &&
	       b->ends_in_disp == ends_in_disp &&
	       b->scale == (is_indexed ? in->mem.scale : 0) &&
	       b->is_far_call == in->is_far_call &&
	       insn_brief_falls_through(b) == insn_falls_through(in) &&
	       (!is_lea || b->target.v == loaded.v) &&
	       (!has_target(in) || b->target.v == in->target.v);
}

bool brief_agrees(const uint8_t *bytes, size_t n)
{
	struct insn_brief brief;
	struct insn in;
	int quick = decode_quick(bytes, n, taddr_of(AT), &in);
	int status = decode_brief(bytes, n, taddr_of(AT), &brief);

	if (quick == status && (status || is_same(&in, &brief)))
		return true;
	printf("decode_quick() %d, decode_brief() %d:", quick, status);
	for (size_t i = 0; i < n && i < INSN_MAX; i++)
		printf(" %02x", bytes[i]);
	printf("\n");
	return false;
}

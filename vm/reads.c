/* SPDX-License-Identifier: MIT */
#include "vm/isa.h"
#include "vm/vm.h"

static const uint8_t subr_flags[] = {
#define SUBR(name, result, proto, least, most, contexts, flags) SUBR_##flags,
#include "vm/subr.def"
#undef SUBR
};

bool program_reads(const void *image, const struct program_clause *clause)
{
	const insn_t *code = program_section(image, SECTION_CODE);

	for (uint32_t i = 0; i < clause->count; i++) {
		insn_t in = code[clause->first + i];

		if (isa_op(in) == OP_ULD ||
		    (isa_op(in) == OP_CALL && subr_flags[isa_imm(in)] & SUBR_READS))
			return true;
	}
	return false;
}

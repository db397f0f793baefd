/* SPDX-License-Identifier: MIT */
/* Private to hook/: which bytes an instruction names by their distance from it. */
#ifndef HOOK_RIP_OPERAND_H
#define HOOK_RIP_OPERAND_H

#include "disasm/disasm.h"

/*
 * The bytes that the rip-relative operand of the instruction at this address names: as
 * many as it may have, at most 64. False: where they are is not known, or it has no
 * such operand.
 */
bool rip_operand(const struct insn_brief *in, taddr at, const uint8_t *bytes,
		 struct addr_range *out);

#endif

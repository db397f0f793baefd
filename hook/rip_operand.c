/* SPDX-License-Identifier: MIT */
#include "hook/rip_operand.h"

/* At most so many bytes are an operand in memory: by the first byte after prefixes. */
static unsigned operand_bytes(const uint8_t *insn, unsigned len)
{
	bool is_scalar = false;
	unsigned i = 0;

	for (; i + 1 < len && (insn[i] >> 4 == 4 || insn[i] == 0x66 ||
			       insn[i] == 0xf2 || insn[i] == 0xf3);
	     i++)
		is_scalar |= insn[i] >= 0xf2;
	switch (insn[i]) {
	case 0x0f: /* movdqu has such a prefix, too */
		return is_scalar && insn[i + 1] != 0x6f ? 8 : 16;
	case 0xc4: /* VEX */
	case 0xc5:
		return 32;
	case 0x62: /* EVEX */
		return 64;
	default:
		return 8;
	}
}

bool rip_operand(const struct insn_brief *in, taddr at, const uint8_t *bytes,
		 struct addr_range *out)
{
	if (!insn_names(in, at, bytes, &out->lo))
		return false;
	out->hi = taddr_add(out->lo, operand_bytes(bytes, in->len));
	return true;
}

/* SPDX-License-Identifier: MIT */
#include "disasm/disasm.h"

#include "vm/base/bytes.h"
#include "vm/base/status.h"

int emit_jmp_rel32(taddr from, taddr to, uint8_t out[EMIT_JMP_REL32])
{
	int64_t rel = (int64_t)(to.v - (from.v + EMIT_JMP_REL32));

	if (rel != (int32_t)rel)
		return STATUS_RANGE;
	out[0] = 0xe9;
	bytes_store(out + 1, (uint64_t)rel, 4);
	return 0;
}

size_t emit_jmp_abs(taddr to, uint8_t out[EMIT_JMP_ABS])
{
	static const uint8_t jmp_next_quad[] = {0xff, 0x25, 0, 0, 0, 0};

	bytes_copy(out, jmp_next_quad, sizeof(jmp_next_quad));
	bytes_store(out + sizeof(jmp_next_quad), to.v, 8);
	return EMIT_JMP_ABS;
}

size_t emit_mov_rcx(uint64_t value, uint8_t out[EMIT_MOV_RCX])
{
	out[0] = 0x48;
	out[1] = 0xb9;
	bytes_store(out + 2, value, 8);
	return EMIT_MOV_RCX;
}

/* SPDX-License-Identifier: MIT */
#include "vm/operand_format.h"

static const struct operand_format formats[] = {
#define FORMAT(name, a, b, c, imm)                                                     \
	{OPERAND_##a, OPERAND_##b, OPERAND_##c, OPERAND_##imm},
#include "vm/operand_format.def"
#undef FORMAT
};

static const uint8_t format_of_op[] = {
#define OP(name, format, effect, text) FORMAT_##format,
#include "vm/ops.def"
#undef OP
};

const struct operand_format *operand_format_of(enum isa_op op)
{
	return &formats[format_of_op[op]];
}

/* SPDX-License-Identifier: MIT */
#include "vm/form.h"

static const struct form_fields forms[] = {
#define FORM(name, a, b, c, imm) {FIELD_##a, FIELD_##b, FIELD_##c, FIELD_##imm},
#include "vm/form.def"
#undef FORM
};

static const uint8_t form_of_op[] = {
#define OP(name, form, text) FORM_##form,
#include "vm/ops.def"
#undef OP
};

const struct form_fields *form_of(enum isa_op op)
{
	return &forms[form_of_op[op]];
}

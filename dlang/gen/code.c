/* SPDX-License-Identifier: MIT */
#include "dlang/gen/code.h"

#include "vm/isa.h"

_Static_assert((int)INSN_COUNT == (int)OP_COUNT && INSN_SIGNED == ISA_SIGNED,
	       "two names for one table");

uint32_t code_emit(struct image *img, struct code_insn i)
{
	*vec_push(&img->code) = isa_encode((enum isa_op)i.op, i.a, i.b, i.c, i.imm);
	return (uint32_t)(img->code.len - 1);
}

void code_land(struct image *img, uint32_t index)
{
	uint64_t i = img->code.data[index];
	int32_t distance = (int32_t)(img->code.len - index - 1);

	img->code.data[index] = isa_encode((enum isa_op)isa_op(i), isa_a(i), isa_b(i),
					   isa_c(i), distance);
}

/* ---- text ---- */

/* How an instruction's fields read: the columns of form.def. */
enum use {
	USE_ZERO,
	USE_DEF,
	USE_USE,
	USE_SIZE,
	USE_ACCESS,
	USE_KEEP,
	USE_FIRST,
	USE_ARGC,
	USE_NUMBER,
	USE_CONST,
	USE_STR,
	USE_JUMP,
	USE_BUILTIN,
	USE_VAR,
	USE_AGG,
	USE_ACTION,
	USE_SUBR,
};

enum form {
#define FORM(name, a, b, c, imm) FORM_##name,
#include "vm/form.def"
#undef FORM
};

static const struct {
	enum use small[3], imm;
} forms[] = {
#define FORM(name, a, b, c, imm) {{USE_##a, USE_##b, USE_##c}, USE_##imm},
#include "vm/form.def"
#undef FORM
};

static const struct {
	const char *name;
	enum form form;
} ops[] = {
#define OP(name, form, text) {#name, FORM_##form},
#include "vm/ops.def"
#undef OP
};

static const char *const builtin_names[] = {
#define BUILTIN(name, type, contexts, source) #name,
#include "vm/builtin.def"
#undef BUILTIN
};

static const char *const subr_names[] = {
#define SUBR(name, result, proto, least, most, contexts, flags) #name,
#include "vm/subr.def"
#undef SUBR
};

static const char *const action_names[] = {
#define ACTION(name) #name,
#include "vm/action.def"
#undef ACTION
};

static void print_string(const struct image *img, uint32_t at, struct strbuf *out)
{
	strbuf_putc(out, '"');
	for (const char *p = img->str.data + at; *p; p++) {
		if (*p == '\n')
			strbuf_puts(out, "\\n");
		else if (*p == '"' || *p == '\\')
			strbuf_printf(out, "\\%c", *p);
		else if ((unsigned char)*p < ' ')
			strbuf_printf(out, "\\x%02x", (unsigned)*p);
		else
			strbuf_putc(out, *p);
	}
	strbuf_putc(out, '"');
}

/* printf #1 "%d\n" (int) @0 */
static void print_action(const struct image *img, uint32_t number, struct strbuf *out)
{
	const struct program_action *a = &img->actions.data[number];

	strbuf_printf(out, "%s #%u", action_names[a->kind], number);
	if (a->text) {
		strbuf_putc(out, ' ');
		print_string(img, a->text, out);
	}
	for (uint32_t i = 0; i < a->nfields; i++) {
		const struct program_field *f = &img->fields.data[a->first_field + i];

		strbuf_printf(out, "%s%s", i ? ", " : " (", img->str.data + f->type);
	}
	if (a->nfields)
		strbuf_putc(out, ')');
	for (uint32_t i = 0; i < a->noperands; i++)
		strbuf_printf(out, " @%u", img->operands.data[a->first_operand + i]);
}

static void print_small(enum use use, unsigned value, struct strbuf *out)
{
	switch (use) {
	case USE_DEF:
	case USE_USE:
	case USE_FIRST:
		strbuf_printf(out, " r%u", value);
		break;
	case USE_SIZE:
	case USE_ARGC:
		strbuf_printf(out, " %u", value);
		break;
	case USE_ACCESS:
		strbuf_printf(out, " %c%u", value & ISA_SIGNED ? 's' : 'u',
			      value & 0xf);
		break;
	case USE_KEEP:
		strbuf_puts(out, value ? " keep" : "");
		break;
	default:
		break;
	}
}

static void print_imm(const struct image *img, enum use use, int32_t imm,
		      struct strbuf *out)
{
	if (use != USE_ZERO)
		strbuf_putc(out, ' ');
	switch (use) {
	case USE_NUMBER:
		strbuf_printf(out, "%d", imm);
		break;
	case USE_CONST:
		strbuf_printf(out, "%#llx", (unsigned long long)img->consts.data[imm]);
		break;
	case USE_STR:
		print_string(img, (uint32_t)imm, out);
		break;
	case USE_JUMP:
		strbuf_printf(out, "+%d", imm);
		break;
	case USE_BUILTIN:
		strbuf_puts(out, builtin_names[imm]);
		break;
	case USE_VAR:
		strbuf_printf(out, "v%d", imm);
		break;
	case USE_AGG:
		strbuf_printf(out, "@%d", imm);
		break;
	case USE_ACTION:
		print_action(img, (uint32_t)imm, out);
		break;
	case USE_SUBR:
		strbuf_puts(out, subr_names[imm]);
		break;
	default:
		break;
	}
}

void code_print(const struct image *img, uint32_t index, struct strbuf *out)
{
	uint64_t i = img->code.data[index];
	enum form form = ops[isa_op(i)].form;

	strbuf_puts(out, ops[isa_op(i)].name);
	print_small(forms[form].small[0], isa_a(i), out);
	print_small(forms[form].small[1], isa_b(i), out);
	print_small(forms[form].small[2], isa_c(i), out);
	print_imm(img, forms[form].imm, isa_imm(i), out);
}

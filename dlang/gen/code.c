/* SPDX-License-Identifier: MIT */
#include "dlang/gen/code.h"

#include "vm/names.h"
#include "vm/operand_format.h"

uint32_t code_emit(struct image *img, struct code_insn i)
{
	*vec_push(&img->code) = isa_encode(i.op, i.a, i.b, i.c, i.imm);
	return (uint32_t)(img->code.len - 1);
}

void code_patch_jump(struct image *img, uint32_t index)
{
	uint64_t i = img->code.data[index];
	int32_t distance = (int32_t)(img->code.len - index - 1);

	img->code.data[index] = isa_encode((enum isa_op)isa_op(i), isa_a(i), isa_b(i),
					   isa_c(i), distance);
}

/* ---- text ---- */

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

	strbuf_printf(out, "%s #%u", names_action(a->kind), number);
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

static void print_small(enum operand_use use, unsigned value, struct strbuf *out)
{
	switch (use) {
	case OPERAND_DEF:
	case OPERAND_USE:
	case OPERAND_FIRST:
		strbuf_printf(out, " r%u", value);
		break;
	case OPERAND_SIZE:
	case OPERAND_ARGC:
		strbuf_printf(out, " %u", value);
		break;
	case OPERAND_ACCESS:
		strbuf_printf(out, " %c%u", value & ISA_SIGNED ? 's' : 'u',
			      value & 0xf);
		break;
	case OPERAND_KEEP:
		strbuf_puts(out, value ? " keep" : "");
		break;
	default:
		break;
	}
}

static void print_imm(const struct image *img, enum operand_use use, int32_t imm,
		      struct strbuf *out)
{
	if (use != OPERAND_ZERO)
		strbuf_putc(out, ' ');
	switch (use) {
	case OPERAND_NUMBER:
		strbuf_printf(out, "%d", imm);
		break;
	case OPERAND_CONST:
		strbuf_printf(out, "%#llx", (unsigned long long)img->consts.data[imm]);
		break;
	case OPERAND_STR:
		print_string(img, (uint32_t)imm, out);
		break;
	case OPERAND_JUMP:
		strbuf_printf(out, "+%d", imm);
		break;
	case OPERAND_BUILTIN:
		strbuf_puts(out, names_builtin((uint32_t)imm));
		break;
	case OPERAND_VAR:
		strbuf_printf(out, "v%d", imm);
		break;
	case OPERAND_AGG:
		strbuf_printf(out, "@%d", imm);
		break;
	case OPERAND_ACTION:
		print_action(img, (uint32_t)imm, out);
		break;
	case OPERAND_SUBR:
		strbuf_puts(out, names_subr((uint32_t)imm));
		break;
	default:
		break;
	}
}

void code_print(const struct image *img, uint32_t index, struct strbuf *out)
{
	uint64_t i = img->code.data[index];
	const struct operand_format *form = operand_format_of((enum isa_op)isa_op(i));

	strbuf_puts(out, names_op(isa_op(i)));
	print_small((enum operand_use)form->a, isa_a(i), out);
	print_small((enum operand_use)form->b, isa_b(i), out);
	print_small((enum operand_use)form->c, isa_c(i), out);
	print_imm(img, (enum operand_use)form->imm, isa_imm(i), out);
}

/* SPDX-License-Identifier: MIT */
#include "dlang/code.h"

#include "vm/isa.h"

_Static_assert((int)INSN_COUNT == (int)OP_COUNT && INSN_SIGNED == ISA_SIGNED,
	       "two names for one table");

uint32_t code_emit(struct image *img, enum insn op, unsigned a, unsigned b, unsigned c,
		   int32_t imm)
{
	*vec_push(&img->code) = isa_encode((enum isa_op)op, a, b, c, imm);
	return (uint32_t)(img->code.len - 1);
}

void code_land(struct image *img, uint32_t index)
{
	uint64_t i = img->code.data[index];
	int32_t distance = (int32_t)(img->code.len - index - 1);

	img->code.data[index] =
		isa_encode((enum isa_op)isa_op(i), isa_a(i), isa_b(i), isa_c(i), distance);
}

/* ---- text ---- */

/*
 * What the fields of each form are: a b c registers, s size, x access, i
 * number, # constant, $ string, > jump, B built-in, v variable, @ aggregation,
 * ! action, n count, f subroutine.
 */
enum form {
	FORM_NONE,
	FORM_D_IMM,
	FORM_D_CONST,
	FORM_D_STR,
	FORM_D_R,
	FORM_D_R_R,
	FORM_D_R_IMM,
	FORM_D_R_SZ,
	FORM_JUMP,
	FORM_R_JUMP,
	FORM_LOAD,
	FORM_STORE,
	FORM_D_BI,
	FORM_D_R_BI,
	FORM_D_VAR,
	FORM_R_VAR,
	FORM_R_SZ,
	FORM_R,
	FORM_R_IMM,
	FORM_AGG,
	FORM_ACTION,
	FORM_CALL,
};

static const char forms[][8] = {
	[FORM_NONE] = "",	[FORM_D_IMM] = "ai",   [FORM_D_CONST] = "a#",
	[FORM_D_STR] = "a$",	[FORM_D_R] = "ab",     [FORM_D_R_R] = "abc",
	[FORM_D_R_IMM] = "abi", [FORM_D_R_SZ] = "abs", [FORM_JUMP] = ">",
	[FORM_R_JUMP] = "a>",	[FORM_LOAD] = "abxi",  [FORM_STORE] = "abxi",
	[FORM_D_BI] = "aB",	[FORM_D_R_BI] = "abB", [FORM_D_VAR] = "akv",
	[FORM_R_VAR] = "akv",	[FORM_R_SZ] = "as",    [FORM_R] = "a",
	[FORM_R_IMM] = "ai",	[FORM_AGG] = "ab@",    [FORM_ACTION] = "!",
	[FORM_CALL] = "abnf",
};

static const struct {
	const char *name;
	enum form form;
} ops[] = {
#define OP(name, form, text) { #name, FORM_##form },
#include "vm/ops.def"
#undef OP
};

static const char *const builtin_names[] = {
#define BUILTIN(name, type, homes, source) #name,
#include "vm/builtin.def"
#undef BUILTIN
};

static const char *const subr_names[] = {
#define SUBR(name, result, proto, least, most, homes) #name,
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

static void print_access(unsigned access, struct strbuf *out)
{
	strbuf_printf(out, " %c%u", access & ISA_SIGNED ? 's' : 'u',
		      access & 0xf);
}

static void print_reference(const struct image *img, uint32_t index, char what,
			    struct strbuf *out)
{
	int32_t imm = isa_imm(img->code.data[index]);

	strbuf_putc(out, ' ');
	switch (what) {
	case '#':
		strbuf_printf(out, "%#llx", (unsigned long long)img->consts.data[imm]);
		break;
	case '$':
		print_string(img, (uint32_t)imm, out);
		break;
	case '>':
		strbuf_printf(out, "+%d", imm);
		break;
	case 'B':
		strbuf_puts(out, builtin_names[imm]);
		break;
	case 'f':
		strbuf_puts(out, subr_names[imm]);
		break;
	case '!':
		print_action(img, (uint32_t)imm, out);
		break;
	default:
		strbuf_printf(out, "%c%d", what, imm); /* v0, @0 */
	}
}

static void print_operand(const struct image *img, uint32_t index, char what,
			  struct strbuf *out)
{
	uint64_t i = img->code.data[index];

	if (what == 'a')
		strbuf_printf(out, " r%u", isa_a(i));
	else if (what == 'b')
		strbuf_printf(out, " r%u", isa_b(i));
	else if (what == 'c')
		strbuf_printf(out, " r%u", isa_c(i));
	else if (what == 's' || what == 'n')
		strbuf_printf(out, " %u", isa_c(i));
	else if (what == 'x')
		print_access(isa_c(i), out);
	else if (what == 'i')
		strbuf_printf(out, " %d", isa_imm(i));
	else if (what != 'k')
		print_reference(img, index, what, out);
	else if (isa_c(i))
		strbuf_puts(out, " keep");
}

void code_print(const struct image *img, uint32_t index, struct strbuf *out)
{
	unsigned op = isa_op(img->code.data[index]);

	strbuf_puts(out, ops[op].name);
	for (const char *p = forms[ops[op].form]; *p; p++)
		print_operand(img, index, *p, out);
}

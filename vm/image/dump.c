/* SPDX-License-Identifier: MIT */
/*
 * Text of an image, for people and golden tests. Hosted only. The image need
 * not be verified code-wise, but its sections must lie inside it.
 */
#include "vm/base/host/strbuf.h"
#include "vm/names.h"
#include "vm/operand_format.h"
#include "vm/vm.h"

#include <ctype.h>

static void put_lower(struct strbuf *out, const char *s)
{
	for (; *s; s++)
		strbuf_putc(out, (char)tolower((unsigned char)*s));
}

static void put_quoted(struct strbuf *out, const char *s)
{
	strbuf_putc(out, '"');
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c == '"' || c == '\\')
			strbuf_printf(out, "\\%c", c);
		else if (c == '\n')
			strbuf_puts(out, "\\n");
		else if (c == '\t')
			strbuf_puts(out, "\\t");
		else if (c < 0x20 || c == 0x7f)
			strbuf_printf(out, "\\x%02x", c);
		else
			strbuf_putc(out, (char)c);
	}
	strbuf_putc(out, '"');
}

static const char *string_at(const void *image, uint32_t offset)
{
	return offset < program_count(image, SECTION_STR)
		       ? program_string(image, offset)
		       : "?";
}

/* self->x, this->x, x, x[], self->x[] */
static void put_var(struct strbuf *out, const void *image, uint32_t i)
{
	const struct program_var *v;

	if (i >= program_count(image, SECTION_VAR)) {
		strbuf_printf(out, "var?%u", i);
		return;
	}
	v = program_var(image, i);
	if (v->scope == SCOPE_SELF || v->scope == SCOPE_SELF_ARRAY)
		strbuf_puts(out, "self->");
	else if (v->scope == SCOPE_THIS)
		strbuf_puts(out, "this->");
	strbuf_puts(out, string_at(image, v->name));
	if (v->nkeys)
		strbuf_puts(out, "[]");
}

static void put_agg(struct strbuf *out, const void *image, uint32_t i)
{
	strbuf_putc(out, '@');
	if (i < program_count(image, SECTION_AGG))
		strbuf_puts(out, string_at(image, program_agg(image, i)->name));
}

static void put_action(struct strbuf *out, const void *image, uint32_t i)
{
	uint32_t kind = ACTION_COUNT;

	if (i < program_count(image, SECTION_ACTION))
		kind = program_action(image, i)->kind;
	strbuf_printf(out, "%s#%u", names_action(kind), i);
}

static void put_constant(struct strbuf *out, const void *image, uint32_t i)
{
	const uint64_t *constants = program_section(image, SECTION_CONST);

	if (i < program_count(image, SECTION_CONST))
		strbuf_printf(out, "0x%llx", (unsigned long long)constants[i]);
	else
		strbuf_printf(out, "const?%u", i);
}

/* at: the instruction's number, for the targets of jumps. */
static void put_imm(struct strbuf *out, const void *image, uint32_t at, insn_t insn)
{
	int32_t imm = isa_imm(insn);
	uint32_t i = (uint32_t)imm;

	switch (operand_format_of((enum isa_op)isa_op(insn))->imm) {
	case OPERAND_NUMBER:
		strbuf_printf(out, "%d", imm);
		break;
	case OPERAND_CONST:
		put_constant(out, image, i);
		break;
	case OPERAND_STR:
		put_quoted(out, string_at(image, i));
		break;
	case OPERAND_JUMP:
		strbuf_printf(out, "->%u", at + 1 + i);
		break;
	case OPERAND_BUILTIN:
		strbuf_puts(out, names_builtin(i));
		break;
	case OPERAND_VAR:
		put_var(out, image, i);
		break;
	case OPERAND_AGG:
		put_agg(out, image, i);
		break;
	case OPERAND_ACTION:
		put_action(out, image, i);
		break;
	default:
		strbuf_printf(out, "%s()", names_subr(i));
	}
}

static void put_small(struct strbuf *out, enum operand_use use, uint32_t value)
{
	switch (use) {
	case OPERAND_SIZE:
	case OPERAND_ACCESS:
		strbuf_printf(out, "%s%u", value & ISA_SIGNED ? "s" : "",
			      value & ~(uint32_t)ISA_SIGNED);
		break;
	case OPERAND_KEEP:
		strbuf_puts(out, "keep");
		break;
	case OPERAND_ARGC:
		strbuf_printf(out, "n%u", value);
		break;
	default:
		strbuf_printf(out, "r%u", value);
	}
}

/* Fields in their order, those that say nothing left out. */
static void put_insn(struct strbuf *out, const void *image, uint32_t at, insn_t insn)
{
	const uint32_t value[3] = {isa_a(insn), isa_b(insn), isa_c(insn)};
	const struct operand_format *form;
	uint8_t use[3];
	size_t start = out->len;
	const char *separator = " ";

	if (isa_op(insn) >= OP_COUNT) {
		strbuf_printf(out, "? 0x%llx", (unsigned long long)insn);
		return;
	}
	form = operand_format_of((enum isa_op)isa_op(insn));
	use[0] = form->a;
	use[1] = form->b;
	use[2] = form->c;
	put_lower(out, names_op(isa_op(insn)));
	if (form->a != OPERAND_ZERO || form->imm != OPERAND_ZERO)
		strbuf_pad(out, ' ', 4 - (out->len - start > 4 ? 4 : out->len - start));
	for (int i = 0; i < 3; i++) {
		if (use[i] == OPERAND_ZERO || (use[i] == OPERAND_KEEP && !value[i]))
			continue;
		strbuf_puts(out, separator);
		put_small(out, (enum operand_use)use[i], value[i]);
		separator = ", ";
	}
	if (form->imm != OPERAND_ZERO) {
		strbuf_puts(out, separator);
		put_imm(out, image, at, insn);
	}
}

static void put_field(struct strbuf *out, const struct program_field *f)
{
	if (f->kind == KIND_INT)
		strbuf_printf(out, "%c%u", f->is_signed ? 'i' : 'u', f->size * 8);
	else
		strbuf_printf(out, "%s%u", f->kind == KIND_STR ? "str" : "bytes",
			      f->size);
}

static void put_fields(struct strbuf *out, const void *image, uint32_t first,
		       uint32_t n)
{
	const char *separator = "";

	strbuf_putc(out, '(');
	for (uint32_t i = first;
	     i < first + n && i < program_count(image, SECTION_FIELD); i++) {
		strbuf_puts(out, separator);
		put_field(out, program_field(image, i));
		separator = ", ";
	}
	strbuf_putc(out, ')');
}

static void dump_vars(const void *image, struct strbuf *out)
{
	for (uint32_t i = 0; i < program_count(image, SECTION_VAR); i++) {
		const struct program_var *v = program_var(image, i);

		strbuf_printf(out, "var %u ", i);
		put_var(out, image, i);
		strbuf_putc(out, ' ');
		if (v->nkeys) {
			put_fields(out, image, v->first_key, v->nkeys);
			strbuf_putc(out, ' ');
		}
		put_field(out, &v->value);
		strbuf_putc(out, '\n');
	}
}

static void dump_aggs(const void *image, struct strbuf *out)
{
	for (uint32_t i = 0; i < program_count(image, SECTION_AGG); i++) {
		const struct program_agg *a = program_agg(image, i);

		strbuf_printf(out, "agg %u ", i);
		put_agg(out, image, i);
		put_fields(out, image, a->first_key, a->nkeys);
		strbuf_printf(out, " %s", names_agg(a->func));
		if (a->param)
			strbuf_printf(out, " 0x%llx", (unsigned long long)a->param);
		if (a->variant_of)
			strbuf_printf(out, " variant of %u", a->variant_of - 1);
		strbuf_putc(out, '\n');
	}
}

static void dump_actions(const void *image, struct strbuf *out)
{
	const uint32_t *operand = program_section(image, SECTION_OPERAND);

	for (uint32_t i = 0; i < program_count(image, SECTION_ACTION); i++) {
		const struct program_action *a = program_action(image, i);

		strbuf_puts(out, "action ");
		put_action(out, image, i);
		strbuf_putc(out, ' ');
		put_fields(out, image, a->first_field, a->nfields);
		if (a->text) {
			strbuf_putc(out, ' ');
			put_quoted(out, string_at(image, a->text));
		}
		for (uint32_t o = a->first_operand;
		     o < a->first_operand + a->noperands &&
		     o < program_count(image, SECTION_OPERAND);
		     o++) {
			strbuf_putc(out, ' ');
			put_agg(out, image, operand[o]);
		}
		strbuf_putc(out, '\n');
	}
}

/* The statement that begins at the instruction, if one does. */
static void put_stmt(struct strbuf *out, const void *image,
		     const struct program_clause *c, uint32_t at)
{
	const struct program_stmt *stmt = program_section(image, SECTION_STMT);

	for (uint32_t i = c->stmt; i < c->stmt + c->nstmts; i++)
		if (i < program_count(image, SECTION_STMT) && stmt[i].first == at)
			strbuf_printf(out, "  ; action %u", stmt[i].action);
}

void dump_clause_code(const void *image, uint32_t number, struct strbuf *out)
{
	const struct program_clause *c = program_clause(image, number);
	const insn_t *code = program_section(image, SECTION_CODE);
	uint32_t ncode = program_count(image, SECTION_CODE);

	strbuf_printf(out, "clause %u line %u contexts %s%s%s%s%s\n", number, c->line,
		      c->contexts & CONTEXT_FRONT ? "F" : "",
		      c->contexts & CONTEXT_KEEPER ? "K" : "",
		      c->contexts & CONTEXT_RESIDENT ? "R" : "",
		      c->flags & CLAUSE_RECORDS ? " records" : "",
		      c->flags & CLAUSE_DESTRUCTIVE ? " destructive" : "");
	for (uint32_t i = 0; i < c->count && c->first + i < ncode; i++) {
		strbuf_printf(out, "%4u  ", i);
		put_insn(out, image, i, code[c->first + i]);
		put_stmt(out, image, c, c->first + i);
		strbuf_putc(out, '\n');
	}
}

void dump_image(const void *image, struct strbuf *out)
{
	const struct program_header *h = program_header(image);

	strbuf_printf(out, "image strsize %u globals %u locals %u\n", h->strsize,
		      h->globals, h->locals);
	dump_vars(image, out);
	dump_aggs(image, out);
	dump_actions(image, out);
	for (uint32_t i = 0; i < program_count(image, SECTION_CLAUSE); i++)
		dump_clause_code(image, i, out);
}

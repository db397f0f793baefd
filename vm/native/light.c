/* SPDX-License-Identifier: MIT */
/*
 * Light routines (vm/native.h). What the clauses write is known when they are translated:
 * then the part before them is put in front.
 *
 *	lahf, seto		the flags, without a stack
 *	mov	saved[...] = the registers that are written
 *	mov	r11 = the struct native_call, which was in rcx
 *	...	clause after clause
 *	the end of a firing that is complete: restores, jmp finished
 *	the end of exits: restores, jmp unfinished
 *
 * Every word of ours that the code touches is aligned, so the target's alignment flag
 * does no harm; a word of the target's that is not is a fault then, and so an exit. No
 * instruction depends on the direction flag. Names of probes, and their copies in
 * records, are not aligned; nothing was done before they are touched.
 */
#include "vm/native/translation.h"
#include "vm/base/bytes.h"

#define CALL_IN	  X86_R11
#define FRONT_MAX (12 + 16 * 8) /* a move takes 8 bytes at most */

/* Those that no instruction of a translation uses on its own, and the one of records. */
static const enum x86_reg light_places[] = {X86_R10, X86_RBX, X86_RBP, X86_R12,
					    LIGHT_RECORD_AT};

static void add_exit(struct translation *t, uint32_t jump)
{
	struct light_translation *l = &t->light;

	l->is_half |= l->has_effect;
	if (l->nexits == EXITS_MAX) {
		l->is_half = true;
		return;
	}
	l->exits[l->nexits++] = jump;
}

void light_exit_by(struct translation *t, const struct missed_jumps *missed)
{
	for (uint32_t i = 0; i < missed->n; i++)
		add_exit(t, missed->jump[i]);
}

void light_exit(struct translation *t)
{
	add_exit(t, x86_jump(t->code));
	t->is_dead = true;
	t->tuple.is_open = false;
	t->record.is_item = false;
}

void light_load_site(struct translation *t)
{
	struct missed_jumps changed = {.n = 1};

	_Static_assert(NATIVE_SITE_BYTES == 16,
		       "the number is doubled, and scaled by 8");
	x86_load(t->code, X86_RCX, call_at(t, LIGHT_AT(gate)));
	x86_load32(t->code, X86_RAX, (struct x86_mem){X86_RCX, NATIVE_GATE_SITE});
	x86_alu(t->code, X86_ADD, X86_RAX, X86_RAX);
	x86_load(t->code, X86_RCX, (struct x86_mem){X86_RCX, NATIVE_GATE_SITES});
	x86_address(t->code, X86_RCX, (struct x86_mem){X86_RCX, NATIVE_SITE_WORD},
		    (struct x86_index){X86_RAX, 3});
	x86_load32(t->code, X86_RAX, (struct x86_mem){X86_RCX, 4});
	x86_compare32(t->code, X86_RAX, NATIVE_SITE_ALONE);
	changed.jump[0] = x86_jump_if(t->code, X86_BELOW);
	light_exit_by(t, &changed);
}

/* rax and rcx are put aside by who jumps here. */
static bool is_saved(uint32_t written, enum x86_reg r)
{
	return r != X86_RAX && r != X86_RCX && r != CALL_IN && written >> r & 1;
}

static struct x86_mem saved_at(enum x86_reg base, enum x86_reg r)
{
	return (struct x86_mem){base, LIGHT_AT(saved) +
					      ((int32_t)r - NATIVE_FIRST_SAVED) * 8};
}

static void save(struct x86_code *c, uint32_t written)
{
	x86_save_flags(c);
	x86_store(c, (struct x86_mem){X86_RCX, LIGHT_AT(flags)}, X86_RAX);
	for (enum x86_reg r = X86_RAX; r <= X86_R13; r++)
		if (is_saved(written, r))
			x86_store(c, saved_at(X86_RCX, r), r);
	x86_store(c, saved_at(X86_RCX, CALL_IN), CALL_IN);
	x86_move(c, CALL_IN, X86_RCX);
}

static void restore(struct x86_code *c, uint32_t written, int32_t next)
{
	x86_load(c, X86_RAX, (struct x86_mem){CALL_IN, LIGHT_AT(flags)});
	x86_load(c, X86_RCX, (struct x86_mem){CALL_IN, next});
	x86_restore_flags(c);
	for (enum x86_reg r = X86_RAX; r <= X86_R13; r++)
		if (is_saved(written, r))
			x86_load(c, r, saved_at(CALL_IN, r));
	x86_load(c, CALL_IN, saved_at(CALL_IN, CALL_IN));
	x86_jump_to(c, X86_RCX);
}

/* The body is in the buffer; its jumps are relative. */
static void put_in_front(struct x86_code *c, uint32_t written,
			 struct native_light *parts)
{
	const uint32_t end = c->n;
	uint8_t front[FRONT_MAX];
	uint32_t n;

	save(c, written);
	n = c->n - end;
	bytes_copy(front, c->bytes + end, n);
	bytes_move(c->bytes + n, c->bytes, end);
	bytes_copy(c->bytes, front, n);
	parts->body = n;
	parts->finished += n;
	parts->unfinished += n;
}

static void add_ends(struct translation *t, struct native_light *parts)
{
	const uint32_t written = t->code->written;

	parts->finished = t->code->n;
	restore(t->code, written, LIGHT_AT(finished));
	parts->unfinished = t->code->n;
	for (uint32_t i = 0; i < t->light.nexits; i++)
		x86_land(t->code, t->light.exits[i]);
	restore(t->code, written, LIGHT_AT(unfinished));
	put_in_front(t->code, written, parts);
}

/* How many instructions of the clauses load timestamp, and one for a record. */
static uint32_t count_times(const void *image, struct clause_list list)
{
	const insn_t *code = program_section(image, SECTION_CODE);
	uint32_t n = record_is_made(image, list);

	for (uint32_t k = 0; k < list.n; k++) {
		const struct program_clause *clause =
			program_clause(image, list.clause[k]);

		for (uint32_t i = 0; i < clause->count; i++)
			n += isa_op(code[clause->first + i]) == OP_BI &&
			     isa_imm(code[clause->first + i]) == BUILTIN_timestamp;
	}
	return n;
}

enum light_verdict light_translate(const struct light_request *r, struct x86_code *out,
				   struct native_light *parts)
{
	struct translation t = {
		.image = r->image,
		.name_most = r->name_most,
		.code = out,
		.site = r->site,
		.operands = r->operands,
		.is_leaf = true,
		.nplaces = (uint32_t)ARRAY_LEN(light_places) -
			   record_is_made(r->image, r->clauses),
		.call = CALL_IN,
		.light = {.is_on = true,
			  .asks_again = count_times(r->image, r->clauses) > 1},
	};

	out->n = out->written = 0;
	out->full = false;
	for (uint32_t i = 0; i < t.nplaces; i++)
		t.place[i] = light_places[i];
	if (t.light.asks_again)
		x86_store32_constant(out, call_at(&t, CALL_AT(asked)), 0);
	translate_clauses(&t, r->clauses);
	if (t.light.is_half)
		return LIGHT_HALF;
	if (t.failed || t.is_dead)
		return LIGHT_NEVER;
	if (t.light.is_learner && !r->has_routine)
		return LIGHT_UNLEARNT;
	if (out->written >> (NATIVE_FIRST_SAVED + NATIVE_SAVED))
		return LIGHT_LONG;
	add_ends(&t, parts);
	return out->full ? LIGHT_LONG : LIGHT_IS;
}

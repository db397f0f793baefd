/* SPDX-License-Identifier: MIT */
#include "tracer/explain/site_code.h"
#include "hook/resident.h"
#include "hook/trampoline.h"
#include "vm/base/bytes.h"

#define TEXT_COLUMNS  26 /* of an instruction, before a note */
#define BYTES_COLUMNS 9	 /* bytes of an instruction in its line */

void site_bytes_read(const struct target *target, taddr at, size_t n,
		     struct site_bytes *out)
{
	*out = (struct site_bytes){.at = at, .n = min_u64(n, SITE_CODE_MAX)};
	while (out->n && target_read(target, at, out->bytes, out->n))
		out->n--;
}

/* One line: address, bytes, text, and what it is. */
static void add_text(struct strbuf *to, const struct site_bytes *line, const char *text,
		     const char *note)
{
	strbuf_printf(to, "    0x%-14llx", (unsigned long long)line->at.v);
	for (size_t i = 0; i < line->n; i++)
		strbuf_printf(to, " %02x", line->bytes[i]);
	strbuf_pad(to, ' ', 3 * (BYTES_COLUMNS - min_u64(line->n, BYTES_COLUMNS)));
	if (*note)
		strbuf_printf(to, "  %-*s ; %s\n", TEXT_COLUMNS, text, note);
	else
		strbuf_printf(to, "  %s\n", text);
}

/* The n bytes that begin at an offset, cut to what there is. */
static struct site_bytes piece(const struct site_bytes *of, size_t offset, size_t n)
{
	struct site_bytes p = {.at = taddr_add(of->at, (int64_t)offset)};

	p.n = min_u64(n, of->n - min_u64(offset, of->n));
	bytes_copy(p.bytes, of->bytes + offset, p.n);
	return p;
}

static void add_insn(struct strbuf *to, const struct site_bytes *line, const char *note)
{
	char text[INSN_TEXT_MAX];

	if (insn_text(line->bytes, line->n, line->at, text) != line->n)
		text[0] = '\0';
	add_text(to, line, text, note);
}

/* The program's bytes as instructions, the last ones padding. site: to be marked. */
static void add_code(struct strbuf *to, const struct site_bytes *code, size_t padding,
		     taddr site)
{
	size_t end = code->n - min_u64(padding, code->n), at = 0;
	struct site_bytes line;
	struct insn in;

	while (at < end && decode(code->bytes + at, end - at,
				  taddr_add(code->at, (int64_t)at), &in) == 0) {
		line = piece(code, at, in.len);
		add_insn(to, &line, line.at.v == site.v ? "the site" : "");
		at += in.len;
	}
	line = piece(code, at, code->n);
	if (line.n)
		add_text(to, &line, "", at == end ? "padding" : "no instruction");
}

/* A jump of ours of n bytes, and what it leaves of the bytes that it takes over. */
static void add_jump(struct strbuf *to, const struct site_bytes *code, size_t n,
		     const char *note)
{
	struct site_bytes line = piece(code, 0, n);

	add_insn(to, &line, note);
	line = piece(code, n, code->n);
	if (line.n)
		add_text(to, &line, "", "never run");
}

static const char *jump_note(const struct hook_plan *plan)
{
	switch (plan->tactic) {
	case HOOK_CALL:
		return "to the stub: only its displacement is new";
	case HOOK_JMP_PUN:
		return "to an island: only its first byte is new";
	case HOOK_JMP_SHORT:
		return plan->covered == 1 ? "to an island: only its first byte is new"
					  : "to an island";
	default:
		return "to the stub";
	}
}

static size_t jump_length(const struct hook_plan *plan)
{
	return plan->tactic == HOOK_JMP_SHORT ? HOOK_SHORT : HOOK_JUMP;
}

/* The jumps share bytes: each is shown with all of its own, and where it leads to. */
static void add_chain(const struct site_code *s, struct strbuf *to)
{
	const struct hook_plan *plan = s->plan;
	size_t n = hook_plan_patched(plan);
	struct site_bytes now, line;
	struct insn in;

	site_bytes_read(s->target, plan->patch, n, &now);
	for (uint32_t i = 0; i < plan->nheads && now.n == n; i++) {
		line = piece(&now, plan->heads[i], n);
		if (decode(line.bytes, line.n, line.at, &in))
			continue;
		line.n = in.len;
		add_insn(to, &line, "one of jumps that overlap");
	}
	for (uint32_t i = 0; i < plan->nheads && now.n == n; i++) {
		site_bytes_read(s->target, hook_chain_landing(plan, now.bytes, i),
				HOOK_JUMP, &line);
		add_insn(to, &line, "where it leads to");
	}
}

static void add_patched(const struct site_code *s, struct strbuf *to)
{
	const struct hook_plan *plan = s->plan;
	size_t n = max_u64(plan->covered, jump_length(plan));
	struct site_bytes now;

	if (plan->tactic == HOOK_JMP_CHAIN) {
		add_chain(s, to);
		return;
	}

	site_bytes_read(s->target, plan->patch, n, &now);
	add_jump(to, &now, jump_length(plan), jump_note(plan));
	if (!plan->island.at.v)
		return;
	site_bytes_read(s->target, plan->island.at, hook_island_written(&plan->island),
			&now);
	if (plan->island.entry)
		add_jump(to, &now, HOOK_JUMP, "the code that made room for the island");
	site_bytes_read(s->target, hook_island_entry(&plan->island), HOOK_JUMP, &now);
	add_jump(to, &now, HOOK_JUMP, "the island");
}

/* Where the jump is that leads to the beginning of the stub. */
static taddr last_jump(const struct site_code *s)
{
	const struct hook_plan *plan = s->plan;
	struct site_bytes chain;

	if (plan->island.at.v)
		return hook_island_entry(&plan->island);
	if (plan->tactic != HOOK_JMP_CHAIN)
		return plan->patch;
	site_bytes_read(s->target, plan->patch, hook_plan_patched(plan), &chain);
	return hook_chain_landing(plan, chain.bytes, 0);
}

/* Where the plan's jump to the stub leads; false: none is there any more. */
static bool find_stub(const struct site_code *s, taddr *stub)
{
	taddr at = last_jump(s);
	struct site_bytes jump;
	struct insn in;

	site_bytes_read(s->target, at, HOOK_JUMP, &jump);
	if (decode(jump.bytes, jump.n, at, &in) ||
	    (in.kind != INSN_JMP && in.kind != INSN_CALL))
		return false;
	*stub = in.target;
	return true;
}

static bool is_moved_from(const struct hook_plan *plan, taddr pc)
{
	const struct hook_island *island = &plan->island;

	return taddr_in(pc, plan->patch, taddr_add(plan->patch, plan->covered)) ||
	       (island->ninsns &&
		taddr_in(pc, island->at, taddr_add(island->at, island->covered)));
}

/* Offsets in a prologue, in order, and what the instruction there does. */
static const struct {
	uint16_t at;
	const char *note;
} prologue_notes[] = {
	{0, "past the probe when it is switched off"},
	{STUB_ON, "saves rax"},
	{STUB_ON + 9, "the number of the site"},
	{STUB_ON + 14, "to resident code, which runs the clauses"},
};

static void add_prologue_note(const struct stub *stub, uint32_t nsites, uint16_t at,
			      struct strbuf *to)
{
	for (uint32_t i = 0; i < nsites; i++)
		for (size_t k = 0; k < ARRAY_LEN(prologue_notes); k++)
			if (stub->prologues[i] + prologue_notes[k].at == at)
				strbuf_puts(to, prologue_notes[k].note);
}

/* What the instruction at a point of the stub is. */
static void add_point_note(const struct site_code *s, const struct stub *stub,
			   const struct stub_point *p, struct strbuf *to)
{
	strbuf_reset(to);
	strbuf_puts(to, "");
	if (p->is_prologue)
		add_prologue_note(stub, s->plan->nsites, p->at, to);
	else if (is_moved_from(s->plan, p->pc))
		strbuf_printf(to, "moved from 0x%llx", (unsigned long long)p->pc.v);
	else
		strbuf_puts(to, "back to the program");
}

/* An instruction, and a constant after it: of a moved call. */
static void add_stub_line(struct strbuf *to, const struct site_bytes *code,
			  const char *note)
{
	struct site_bytes line = *code;
	struct insn in;

	if (decode(code->bytes, code->n, code->at, &in) == 0)
		line = piece(code, 0, in.len);
	add_insn(to, &line, note);
	line = piece(code, line.n, code->n);
	if (line.n)
		add_text(to, &line, "", "the return address of the call");
}

/*
 * The stub's layout follows from the plan: it is built again, with any numbers for what
 * only the keeper knows. The bytes that are shown are those in the target.
 */
static void add_stub(const struct site_code *s, taddr at, struct strbuf *to)
{
	struct site_bytes patch;
	const struct stub_request req = {.plan = s->plan,
					 .gate = {0, 8},
					 .chain = patch.bytes,
					 .stub = at,
					 .switch_word = taddr_add(at, RESIDENT_PAGE)};
	uint8_t bytes[STUB_MAX];
	struct strbuf note = {0};
	struct site_bytes line;
	struct stub stub;

	site_bytes_read(s->target, s->plan->patch, hook_plan_patched(s->plan), &patch);
	if (stub_build(&req, &stub) || target_read(s->target, at, bytes, stub.n))
		return;
	strbuf_puts(to, "  stub\n");
	for (size_t i = 0; i < stub.npoints; i++) {
		const struct stub_point *p = &stub.points[i];
		size_t next = i + 1 < stub.npoints ? p[1].at : stub.n;
		size_t end = min_u64(next, p->at + SITE_CODE_MAX);

		add_point_note(s, &stub, p, &note);
		line = (struct site_bytes){taddr_add(at, p->at), end - p->at, {0}};
		bytes_copy(line.bytes, bytes + p->at, line.n);
		add_stub_line(to, &line, note.data);
	}
	strbuf_release(&note);
}

static void add_breakpoint(const struct site_code *s, struct strbuf *to)
{
	struct site_bytes now;

	site_bytes_read(s->target, s->addr, s->before->n, &now);
	add_jump(to, &now, 1, "to the keeper, which runs the clauses");
}

void site_code_add_ours(const uint8_t *bytes, size_t n, taddr at, struct strbuf *to)
{
	struct site_bytes line;
	struct insn in;

	for (size_t i = 0; i < n; i += line.n) {
		line = (struct site_bytes){.at = taddr_add(at, (int64_t)i), .n = 1};
		if (decode(bytes + i, n - i, line.at, &in) == 0)
			line.n = in.len;
		bytes_copy(line.bytes, bytes + i, line.n);
		add_insn(to, &line, "");
	}
}

void site_code_add(const struct site_code *s, struct strbuf *to)
{
	taddr stub;

	strbuf_puts(to, "  before\n");
	add_code(to, s->before, s->plan ? s->plan->padding : 0, s->addr);
	if (s->island && s->island->n)
		add_code(to, s->island, 0, s->addr);
	strbuf_puts(to, "  after\n");
	if (!s->plan) {
		add_breakpoint(s, to);
		return;
	}
	add_patched(s, to);
	if (find_stub(s, &stub))
		add_stub(s, stub, to);
}

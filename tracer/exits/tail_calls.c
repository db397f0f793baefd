/* SPDX-License-Identifier: MIT */
#include "tracer/exits/tail_calls.h"
#include "disasm/disasm.h"
#include "symbols/symbols.h"
#include "tracer/base/core.h"
#include "tracer/exits/exits.h"
#include "tracer/targets/pending_sites.h"
#include "vm/base/host/vec.h"
#include "vm/base/proc/procmem_window.h"

#define ARG0 1u /* of pending_sites_arguments() */

/* The functions that a tail call leads to, the one that it goes to first. */
struct course {
	struct tracer *t;
	struct target *target;
	const struct tail_function *from;
	struct procmem_window *memory, *slots; /* of code; of what it jumps through */
	const struct symbol *list[TAIL_FUNCTIONS_MAX];
	size_t n;
	bool is_known;		/* no other function may run on the way */
	struct exits_scan scan; /* of one of them */
	struct addr_range ranges[EXITS_PARTS_MAX];
};

/* The function that begins there, if control can be followed into it; else NULL. */
static const struct symbol *function_at(const struct course *c, taddr addr)
{
	const struct module *m = c->from->module;
	const struct symbol *s = module_at(m, addr);

	return s && s->size && !s->is_ifunc &&
			       module_address(m, s->value).v == addr.v &&
			       symbol_convention(m, s) == REGS_CONVENTION_C
		       ? s
		       : NULL;
}

/*
 * Where control goes from there when it is no function: behind a stub of a procedure
 * linkage table, to what its slot holds (System V ABI, 5.2). A slot without its final
 * value leads to no function.
 */
static taddr behind_stub(const struct course *c, taddr addr)
{
	uint8_t bytes[INSN_ROOM] = {0};
	struct insn_brief in;
	uint64_t to;
	taddr slot;

	/* the jump is first, or behind endbr64 */
	for (int i = 0; i < 2; i++, addr = taddr_add(addr, in.len)) {
		if (procmem_window_read(c->slots, addr.v, bytes, INSN_MAX) ||
		    decode_brief(bytes, INSN_ROOM, addr, &in))
			break;
		if (in.kind == INSN_JMP_INDIRECT &&
		    insn_names(&in, addr, bytes, &slot) &&
		    !procmem_window_read(c->slots, slot.v, &to, sizeof(to)))
			return taddr_of(to);
		if (in.kind != INSN_OTHER)
			break;
	}
	return taddr_of(0);
}

/* The instruction at an exit, and the function to which it jumps; NULL: to none. */
static const struct symbol *read_exit(const struct course *c, uint32_t offset,
				      struct insn_brief *in)
{
	*in = (struct insn_brief){0};
	if (decode_brief(c->scan.code + offset, INSN_ROOM,
			 taddr_add(c->scan.scanned, offset), in))
		return NULL;
	if (in->kind != INSN_JMP && in->kind != INSN_JCC && in->kind != INSN_LOOP)
		return NULL;
	return function_at(c, module_at(c->from->module, in->target)
				      ? in->target
				      : behind_stub(c, in->target));
}

static void scan_exits(struct course *c, const struct symbol *s,
		       void (*visit)(void *ctx, const struct scan_site *site),
		       void (*data)(void *ctx, uint32_t offset, uint32_t n))
{
	uint32_t bad;

	c->scan = (struct exits_scan){
		.memory = c->memory,
		.ranges = c->ranges,
		.nranges = exits_ranges(c->from->module, s, c->ranges),
		.request = {.site = visit, .data = data, .ctx = c, .exits_only = true},
	};
	for (size_t i = 0; i < c->scan.nranges; i++)
		if (exits_scan_part(&c->scan, i, &bad))
			c->is_known = false;
}

/* ---- which functions there are ---- */

static void course_add(struct course *c, const struct symbol *s)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->list[i]->value == s->value)
			return;
	if (s->value == c->from->symbol->value || c->n == TAIL_FUNCTIONS_MAX)
		c->is_known = false;
	else
		c->list[c->n++] = s;
}

static void add_target(void *ctx, const struct scan_site *site)
{
	struct course *c = ctx;
	struct insn_brief in;
	const struct symbol *s = read_exit(c, site->offset, &in);

	if (s)
		course_add(c, s);
}

/* Exits may be among what is taken for data. */
static void meet_data(void *ctx, uint32_t offset, uint32_t n)
{
	struct course *c = ctx;

	(void)offset;
	(void)n;
	c->is_known = false;
}

static void find_course(struct course *c, const struct symbol *first)
{
	c->n = 0;
	c->is_known = true;
	course_add(c, first);
	for (size_t i = 0; i < c->n && c->is_known; i++)
		scan_exits(c, c->list[i], add_target, meet_data);
}

/* ---- their sites ---- */

static void add_site(struct course *c, taddr addr, const struct pending_site *what)
{
	struct pending_site site = *what;

	site.probe = c->from->probe;
	site.addr = addr;
	site.ranges = c->ranges;
	site.nranges = c->scan.nranges;
	site.module = c->from->takes_jumps ? c->from->module : NULL;
	for (size_t i = 0; i < c->scan.nranges; i++)
		if (addr_range_holds(&c->ranges[i], addr))
			site.part = c->ranges[i];
	pending_sites_add(c->target, &site);
}

static void add_exit(void *ctx, const struct scan_site *site)
{
	struct course *c = ctx;
	struct insn_brief in;
	struct pending_site exit = {.kind = KEEPER_SITE_RETURN, .role = TAIL_END};

	if (read_exit(c, site->offset, &in))
		exit.role = TAIL_PASS;
	if (in.kind != INSN_RET && in.kind != INSN_FAR)
		exit.convention = REGS_CONVENTION_TAIL_CALL;
	add_site(c, taddr_add(c->scan.scanned, site->offset), &exit);
}

/* An exit that is the first instruction has the one site of the probe there. */
static void add_sites(struct course *c)
{
	const struct pending_site entry = {.kind = KEEPER_SITE_ENTRY,
					   .role = TAIL_ENTER};

	for (size_t i = 0; i < c->n; i++) {
		scan_exits(c, c->list[i], add_exit, NULL);
		add_site(c, module_address(c->from->module, c->list[i]->value), &entry);
	}
}

/* ---- tail calls ---- */

bool tail_calls_meet(const struct exits_scan *x, taddr addr, struct tail_exits *seen)
{
	struct insn_brief in;
	bool is_jump;

	if (decode_brief(x->code + (addr.v - x->scanned.v), INSN_ROOM, addr, &in))
		return false;
	is_jump = in.kind != INSN_RET && in.kind != INSN_FAR;
	seen->nreturns += !is_jump;
	seen->ntails += is_jump && in.kind != INSN_JMP_INDIRECT;
	return is_jump;
}

/* The function to which the site's jump goes; NULL: it is no such site, or not known. */
static const struct symbol *called_at(struct course *c, const struct keeper_site *s)
{
	uint8_t bytes[INSN_ROOM] = {0};
	struct insn_brief in;

	if (s->probe != c->from->probe ||
	    keeper_site_convention(s->kind) != REGS_CONVENTION_TAIL_CALL ||
	    procmem_window_read(c->memory, s->addr.v, bytes, INSN_MAX))
		return NULL;
	c->scan.code = bytes;
	c->scan.scanned = s->addr;
	return read_exit(c, 0, &in);
}

static void follow_function(struct course *c)
{
	struct target_sites *sites = &c->target->sites;

	for (size_t i = c->from->first; i < c->from->end && i < sites->len; i++) {
		const struct symbol *first = called_at(c, &sites->data[i].site);

		if (!first)
			continue;
		find_course(c, first);
		if (!c->is_known)
			continue;
		add_sites(c);
		sites->data[i].site.kind += KEEPER_SITE_ROLE * TAIL_BEGIN;
	}
}

/* diag:::fpid fires at each event of a function's own sites: then there are no others. */
static bool is_followed(const struct tracer *t, const struct tail_function *f)
{
	const struct probe *diag = probes_get(&t->probes, t->diag.fpid);
	bool reads_result;

	if (diag && diag->nenablings)
		return false;
	if (t->options.tailcall != TAILCALL_AUTO)
		return t->options.tailcall == TAILCALL_FOLLOW;
	reads_result = pending_sites_arguments(t, f->probe) & ~ARG0;
	return f->is_only ? f->is_named || reads_result : f->is_named && reads_result;
}

void tail_calls_follow(struct tracer *t, struct target *target)
{
	struct procmem_window memory = {.memory = target->memory};
	struct procmem_window slots = {.memory = target->memory};
	struct course c = {
		.t = t, .target = target, .memory = &memory, .slots = &slots};

	for (size_t i = 0; i < target->tail_functions.len; i++) {
		c.from = &target->tail_functions.data[i];
		if (probes_get(&t->probes, c.from->probe)->nenablings &&
		    is_followed(t, c.from))
			follow_function(&c);
	}
	target->tail_functions.len = 0;
	procmem_window_release(&memory);
	procmem_window_release(&slots);
}

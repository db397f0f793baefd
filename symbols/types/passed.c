/* SPDX-License-Identifier: MIT */
/*
 * Where parameters are at the first instruction of a function, and results at its end.
 * Every answer has a proof:
 *
 * - the debug data of the parameter gives a constant, or a place for just that address;
 * - or it gives one place for all of the body. A register is valid from the start. A slot
 *   of the frame is not filled yet: where the value comes from follows from the ABI;
 * - or it gives none, and another file may call the function, as the ABI says.
 *
 * The ABI holds for a function that other files can call, and for one of which every
 * parameter is where the ABI or a slot of the frame has it. Compilers change how other
 * functions are called: they drop parameters and results that nobody reads.
 */
#include "symbols/types.h"

#include <string.h>

#include "symbols/types/abi.h"
#include "symbols/types/frames.h"
#include "symbols/types/internal.h"
#include "vm/base/regs.h"

/* What debug data says of one parameter. */
enum known {
	KNOWN_NOT,     /* nothing */
	KNOWN_HERE,    /* its place at the first instruction, or that it has none */
	KNOWN_SLOT,    /* its slot of the frame */
	KNOWN_POINTER, /* the slot of its address */
};

struct passed {
	struct module_types *mt;
	const struct target_spot *spot;
	struct dwarf_frame frame;
	struct types_listed list;
	enum known known[TARGET_PARAMS_MAX];
	bool is_missing;  /* a parameter has no place */
	bool is_as_built; /* all are in slots: nothing was optimized */
	bool is_unlike;	  /* a parameter is not where the ABI has it */
};

static void set_gone(struct where *out, const char *why)
{
	*out = (struct where){
		.pieces = {{.kind = WHERE_GONE}}, .npieces = 1, .why = why};
}

/* ---- places ---- */

/* Whether the node is the stack pointer + *offset. */
static bool is_at_sp(const struct where *w, uint16_t node, uint64_t *offset)
{
	const struct where_node *n = &w->nodes[node];
	uint64_t a, b;

	switch (n->op) {
	case WHERE_REGISTER:
		*offset = 0;
		return n->n == regs_ureg_of_dwarf(REGS_DWARF_SP);
	case WHERE_ADD:
	case WHERE_SUB:
		if (w->nodes[n->b].op != WHERE_CONST || !is_at_sp(w, n->a, &a))
			return false;
		b = w->nodes[n->b].n;
		*offset = n->op == WHERE_ADD ? a + b : a - b;
		return true;
	default:
		return false;
	}
}

/* Whether both are one register, or one address: of y's, offset bytes on. */
static bool is_piece_same(const struct where *x, const struct where_piece *a,
			  const struct where *y, const struct where_piece *b,
			  uint64_t offset)
{
	uint64_t at_a, at_b;

	if (a->kind == WHERE_VALUE && x->nodes[a->node].op != WHERE_REGISTER)
		return true;
	if (a->kind != b->kind)
		return false;
	if (a->kind == WHERE_VECTOR)
		return a->node == b->node;
	if (is_at_sp(x, a->node, &at_a) && is_at_sp(y, b->node, &at_b))
		return at_a == at_b + offset;
	return y->nodes[b->node].op == WHERE_REGISTER &&
	       x->nodes[a->node].op == WHERE_REGISTER &&
	       x->nodes[a->node].n == y->nodes[b->node].n;
}

/*
 * Whether what debug data says may be what the ABI says. It may leave parts out, and
 * compute others.
 */
static bool is_like(const struct where *here, const struct where *abi)
{
	uint64_t at = 0;

	for (uint32_t i = 0; i < here->npieces; at += here->pieces[i++].size) {
		const struct where_piece *p = &here->pieces[i];
		uint32_t k = abi->npieces == 1 ? 0 : (uint32_t)(at / 8);
		uint64_t offset = at - 8 * (uint64_t)k;

		if (p->kind == WHERE_GONE || k >= abi->npieces ||
		    (offset && p->kind != WHERE_MEMORY))
			continue;
		if (!is_piece_same(here, p, abi, &abi->pieces[k], offset))
			return false;
	}
	return true;
}

/* Whether debug data leaves out a part that the ABI has. */
static bool has_gap(const struct where *here, const struct where *abi, uint64_t size)
{
	uint64_t at = 0;

	for (uint32_t i = 0; i < here->npieces; at += here->pieces[i++].size) {
		uint32_t k = abi->npieces == 1 ? 0 : (uint32_t)(at / 8);

		if (here->pieces[i].kind == WHERE_GONE && k < abi->npieces &&
		    abi->pieces[k].kind != WHERE_GONE)
			return true;
	}
	return at && at < size;
}

static bool is_in_argument_register(const struct where *w)
{
	static const uint8_t order[] = {
		REGS_DWARF_RDI, REGS_DWARF_RSI, REGS_DWARF_RDX, REGS_DWARF_RCX, 8, 9};

	for (uint32_t i = 0; i < w->npieces; i++) {
		const struct where_node *n = &w->nodes[w->pieces[i].node];
		bool is_one =
			w->pieces[i].kind == WHERE_VECTOR && w->pieces[i].node < 8;

		for (size_t k = 0; k < sizeof(order) && w->pieces[i].kind != WHERE_GONE;
		     k++)
			is_one |= w->pieces[i].kind != WHERE_VECTOR &&
				  n->op == WHERE_REGISTER &&
				  n->n == regs_ureg_of_dwarf(order[k]);
		if (!is_one)
			return false;
	}
	return true;
}

/* One place for all of the body: whether the value is there before it has run. */
static enum known judge(const struct where *w)
{
	const struct where_piece *p = &w->pieces[0];
	uint64_t offset;

	if (is_in_argument_register(w))
		return KNOWN_HERE;
	if (w->npieces != 1 || p->kind != WHERE_MEMORY)
		return KNOWN_SLOT;
	if (is_at_sp(w, p->node, &offset))
		return offset >= 8 && offset < INT64_MAX ? KNOWN_HERE : KNOWN_SLOT;
	if (w->nodes[p->node].op == WHERE_LOAD &&
	    is_at_sp(w, w->nodes[p->node].a, &offset))
		return KNOWN_POINTER;
	return KNOWN_SLOT;
}

#define PROLOGUE_MAX 64 /* bytes */

/*
 * rustc lists where it keeps the address of a value that is passed by address from where
 * it has stored it on, also without optimization.
 */
static bool is_kept_address(const struct passed *p, uint64_t ref)
{
	uint64_t offset;
	struct where w;
	uint16_t node;

	if (p->list.unit.language != LANGUAGE_RUST ||
	    !dwarf_where_next(p->mt->dwarf, ref, p->spot->value + PROLOGUE_MAX,
			      &p->frame, &w) ||
	    w.npieces != 1 || w.pieces[0].kind != WHERE_MEMORY)
		return false;
	node = w.pieces[0].node;
	return w.nodes[node].op == WHERE_REGISTER ||
	       (w.nodes[node].op == WHERE_LOAD &&
		is_at_sp(&w, w.nodes[node].a, &offset));
}

static enum known find_known(const struct passed *p, uint32_t i, struct where *out)
{
	if (!p->list.refs[i]) {
		set_gone(out, "it was optimized away");
		return KNOWN_NOT;
	}
	dwarf_where(p->mt->dwarf, p->list.refs[i], &p->frame, out);
	switch (dwarf_where_term(p->mt->dwarf, p->list.refs[i])) {
	case TERM_LISTED:
		if (where_is_gone(out) && is_kept_address(p, p->list.refs[i]))
			return KNOWN_POINTER;
		return KNOWN_HERE;
	case TERM_CONST:
		return KNOWN_HERE;
	case TERM_ALL:
		return where_is_gone(out) ? KNOWN_SLOT : judge(out);
	default:
		return KNOWN_NOT;
	}
}

/* ---- the ABI ---- */

/* DWARF 5, 7.15, and LLVM's: those that pass parameters and results as C does. */
static bool is_usual(uint64_t convention)
{
	enum {
		NORMAL = 1,
		PROGRAM = 2,
		SYSV = 0xc2,
		PRESERVE_MOST = 0xc9,
		PRESERVE_ALL = 0xca
	};

	return convention == 0 || convention == NORMAL || convention == PROGRAM ||
	       convention == SYSV || convention == PRESERVE_MOST ||
	       convention == PRESERVE_ALL;
}

/* What is unknown of a function without a prototype: float is passed as double. */
static bool is_promoted(const struct passed *p, uint32_t i)
{
	struct target_type t;

	if (p->list.unit.language != LANGUAGE_C || p->list.entry.is_prototyped)
		return false;
	module_types_get(p->mt, p->list.f.params[i].type, &t);
	return t.kind == TARGET_FLOAT && t.size == 4;
}

static void classify(struct passed *p)
{
	struct target_function *f = &p->list.f;

	for (uint32_t i = 0; i < f->nparams; i++)
		f->params[i].passing =
			p->known[i] == KNOWN_POINTER ? PASSED_ADDRESS : PASSED_NOT;
	if (p->list.unit.language == LANGUAGE_RUST)
		abi_classify_rust(p->mt, f);
	else
		abi_classify(p->mt, f);
}

/* Compares what debug data says with the ABI. */
static void compare(struct passed *p)
{
	struct target_function *f = &p->list.f;
	uint32_t nslots = 0;
	struct where here, abi;

	for (uint32_t i = 0; i < f->nparams; i++)
		p->known[i] = find_known(p, i, &here);
	classify(p);
	for (uint32_t i = 0; i < f->nparams; i++) {
		enum known known = find_known(p, i, &here);
		bool is_slot = known == KNOWN_SLOT || known == KNOWN_POINTER;

		abi_where(&f->params[i], false, &abi);
		nslots += is_slot;
		p->is_missing |= known == KNOWN_NOT ||
				 (known == KNOWN_HERE &&
				  (where_is_gone(&here) ||
				   dwarf_where_term(p->mt->dwarf, p->list.refs[i]) ==
					   TERM_CONST));
		p->is_unlike |=
			known == KNOWN_SLOT && f->params[i].passing == PASSED_ADDRESS;
		p->is_unlike |= known == KNOWN_HERE && !where_is_gone(&here) &&
				f->params[i].passing != PASSED_UNKNOWN &&
				!where_is_gone(&abi) && !is_like(&here, &abi);
	}
	p->is_as_built = nslots == f->nparams && nslots > 0;
}

/* NULL, or why the function need not keep to the ABI. */
static const char *why_unlike(const struct passed *p)
{
	const struct types_listed *l = &p->list;

	if (l->unit.language == LANGUAGE_OTHER)
		return "how its language passes values is not known";
	if (!is_usual(l->entry.convention))
		return "its function has a calling convention of its own";
	if (p->is_unlike)
		return "its debugging data contradicts the calling convention";
	if (p->is_as_built || !(p->spot->is_local || !l->entry.is_external))
		return NULL;
	return p->is_missing
		       ? "the compiler may have changed how its function is called"
		       : NULL;
}

static bool passed_find(struct module_types *mt, const struct target_spot *spot,
			struct passed *p)
{
	*p = (struct passed){.mt = mt, .spot = spot};
	if (!types_list_function(mt, spot->value, &p->list))
		return false;
	p->frame = (struct dwarf_frame){
		.function = p->list.ref, .pc = spot->value, .is_entry = true};
	frames_find(spot, &p->frame);
	compare(p);
	return true;
}

/* Whether more than the 8 bytes of a vector register that are read are meant. */
static bool is_wide(const struct where *w, uint64_t size)
{
	for (uint32_t i = 0; i < w->npieces; i++)
		if (w->pieces[i].kind == WHERE_VECTOR &&
		    (w->pieces[i].size ? w->pieces[i].size : size) > 8)
			return true;
	return false;
}

/* NULL, or why the ABI does not give the parameter. */
static const char *why_not_passed(const struct passed *p, uint32_t i, enum known known)
{
	const char *why = why_unlike(p);
	bool is_local = p->spot->is_local || !p->list.entry.is_external;

	if (why)
		return why;
	if (is_promoted(p, i))
		return "its function has no prototype";
	/* LLVM's callers pass anything for what no function reads */
	if ((known == KNOWN_NOT || known == KNOWN_HERE) &&
	    (is_local || !p->list.unit.is_gnu))
		return "it was optimized away";
	return p->list.f.params[i].passing == PASSED_UNKNOWN
		       ? "how its language passes such values is not known"
		       : NULL;
}

static void find_parameter(struct passed *p, uint32_t i, struct where *out)
{
	enum known known = find_known(p, i, out);
	const char *why = why_not_passed(p, i, known);
	struct where abi;

	abi_where(&p->list.f.params[i], false, &abi);
	if (known != KNOWN_HERE ||
	    (!why && has_gap(out, &abi, p->list.f.params[i].size))) {
		if (why)
			set_gone(out, why);
		else
			*out = abi;
	} else if (is_wide(out, p->list.f.params[i].size)) {
		set_gone(out, "it is in a register that is wider than the 8 bytes that "
			      "are read");
	}
}

void module_types_parameter(struct module_types *mt, const struct target_spot *spot,
			    uint32_t n, struct where *out)
{
	struct passed p;

	if (passed_find(mt, spot, &p) && n < p.list.f.nparams)
		find_parameter(&p, n, out);
	else
		set_gone(out, "its function is not known");
}

bool types_passed(struct module_types *mt, const struct target_spot *spot,
		  uint64_t parameter, struct where *out)
{
	struct passed p;

	if (spot->by != REGS_CONVENTION_C || !passed_find(mt, spot, &p))
		return false;
	for (uint32_t i = 0; i < p.list.f.nparams; i++) {
		if (p.list.refs[i] != parameter)
			continue;
		find_parameter(&p, i, out);
		return true;
	}
	return false;
}

#define STORES_MAX 256 /* bytes of the instructions that store parameters */

bool types_is_unstored(struct module_types *mt, const struct target_spot *spot,
		       uint64_t function, uint64_t parameter, const struct where *where)
{
	if (spot->value - spot->lo > STORES_MAX ||
	    dwarf_where_term(mt->dwarf, parameter) != TERM_ALL)
		return false;
	return judge(where) != KNOWN_HERE &&
	       spot->value < dwarf_prologue_end(mt->dwarf, function);
}

/* ---- results ---- */

/* LLVM leaves out results of local functions that no caller uses; GNU makes copies. */
static const char *why_no_result(const struct passed *p)
{
	const struct types_listed *l = &p->list;

	if (l->unit.language == LANGUAGE_OTHER)
		return "how its language returns values is not known";
	if (!is_usual(l->entry.convention))
		return "its function has a calling convention of its own";
	if (p->is_unlike || p->spot->is_copy)
		return "the compiler may have changed what this copy returns";
	if (l->f.result.passing == PASSED_UNKNOWN)
		return "how its language returns such values is not known";
	if (!l->unit.is_gnu && (p->spot->is_local || !l->entry.is_external) &&
	    !p->is_as_built && (l->entry.is_optimized || l->f.nparams))
		return "the compiler may have left it out: no other file calls the "
		       "function";
	return NULL;
}

void module_types_result(struct module_types *mt, const struct target_spot *spot,
			 struct where *out)
{
	struct passed p;
	const char *why = "its function is not known";

	if (passed_find(mt, spot, &p))
		why = why_no_result(&p);
	if (why)
		set_gone(out, why);
	else
		abi_where(&p.list.f.result, true, out);
}

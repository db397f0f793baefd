/* SPDX-License-Identifier: MIT */
/*
 * The pid and fpid providers: probes in the functions of a process.
 *
 *	pid123 : libc.so.6 : malloc : entry | return | hex offset | a mark (marks.h)
 *
 * They differ in how a site is served: for pid always by a breakpoint, for fpid by a jump
 * where one can be installed (plan.h), else by a breakpoint.
 *
 * The provider field of a description names the process. pid_provide() finds the target
 * (or attaches to it), the objects, the functions and, for returns and offsets, the
 * instructions. If a function was named, a failure is an error with a D_PROC_ tag. If a
 * glob selected it, the site is left out; the keeper may refuse it later.
 */
#include "tracer/providers/prov_pid.h"
#include "symbols/symbols.h"
#include "tracer/base/core.h"
#include "tracer/base/pid_field.h"
#include "tracer/exits/exits.h"
#include "tracer/exits/tail_calls.h"
#include "tracer/files/symbols_ahead.h"
#include "tracer/mapped/file_code.h"
#include "tracer/output/out.h"
#include "tracer/output/progress.h"
#include "tracer/providers/explain.h"
#include "tracer/providers/generated.h"
#include "tracer/providers/marks.h"
#include "tracer/providers/suggest.h"
#include "tracer/providers/unwound.h"
#include "tracer/targets/code_image.h"
#include "tracer/targets/ifunc.h"
#include "tracer/targets/objects.h"
#include "tracer/targets/pending_sites.h"
#include "tracer/targets/plan.h"
#include "tracer/targets/spawn.h"
#include "tracer/targets/target.h"
#include "vm/base/fmt.h"
#include "vm/base/host/glob.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"
#include "vm/base/proc/procmem_window.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One description being applied to one target. */
struct search {
	const struct provider *prov;
	struct tracer *t;
	struct target *target;
	const char *module, *function, *name; /* fields of the description */
	char provider[32];
	bool wants_entry, wants_return; /* the name selects these */
	bool is_exact; /* a function was named: a failure is an error */
	bool is_later; /* for an object that was mapped later: no failure is an error */
	struct match *m;
	struct procmem_window memory;  /* of the target */
	const struct module *image_of; /* whose sites were added last ... */
	size_t nparts;		       /* ... in so many parts of functions ... */
	taddr last_part;	       /* ... of which this is the last */
	const struct marks *marks;     /* of the module, if the name is that of marks */
	struct exits *exits;	       /* of the module, if there are many; else NULL */
	struct file_code file;	       /* of the module, if the target maps it itself */
	int rc;
	struct err *e;
};

/* One function of it. */
struct function {
	struct search *s;
	struct module *module;
	const struct symbol *symbol; /* NULL: it is known by an address */
	const char *name;
	enum regs_convention convention;
	taddr lo;
	uint64_t size;
	struct addr_range ranges[EXITS_PARTS_MAX];
	size_t nranges;
	uint32_t entry, ret; /* probe ids; 0: not wanted, or not made yet */
	bool wants_offsets;
	bool wants_return;
	uint64_t only_offset; /* or UINT64_MAX */
	bool found_offset;
	size_t nmarked; /* marks at which there is an instruction */
	uint64_t ndata; /* bytes that may be a constant or a table */
	struct exits_scan scan;
	struct tail_exits exits;
};

static bool field_wants(const char *pattern, const char *name)
{
	return !*pattern || glob_match(pattern, name);
}

static int search_error(struct search *s, const char *tag, const char *text)
{
	if (s->rc || s->is_later)
		return s->rc;
	s->rc = err_tag(s->e, tag, "%s", text);
	return s->rc;
}

static uint32_t add_probe(struct function *f, const char *name)
{
	struct probes *ps = &f->s->t->probes;
	uint32_t id = probes_add(
		ps, f->s->prov,
		(const char *const[4]){f->s->provider, f->module->name, f->name, name});

	probes_get(ps, id)->is_mark = f->s->marks != NULL;

	match_add(f->s->m, id);
	return id;
}

/* The part of the function that holds addr. */
static struct addr_range part_of(const struct function *f, taddr addr)
{
	for (size_t i = 0; i < f->nranges; i++)
		if (addr.v >= f->ranges[i].lo.v && addr.v < f->ranges[i].hi.v)
			return f->ranges[i];
	return (struct addr_range){addr, addr};
}

/* Its branches are looked for while other functions are scanned. */
static void begin_image(struct search *s, const struct module *m, size_t nparts)
{
	s->image_of = m;
	s->nparts = nparts;
	s->last_part = taddr_of(0);
	plan_prepare(s->t, m, nparts > PLAN_FEW);
}

static void note_part(struct search *s, const struct pending_site *site)
{
	if (site->module != s->image_of)
		begin_image(s, site->module, 0);
	if (site->part.lo.v != s->last_part.v && ++s->nparts == PLAN_FEW + 1)
		plan_prepare(s->t, site->module, true);
	s->last_part = site->part.lo;
}

static void add_site(struct function *f, uint32_t probe, enum keeper_site_kind kind,
		     uint64_t offset)
{
	taddr addr = taddr_add(f->lo, (int64_t)offset);
	const bool is_tail = kind == KEEPER_SITE_RETURN &&
			     tail_calls_meet(&f->scan, addr, &f->exits);
	const struct pending_site site = {
		.probe = probe,
		.kind = kind,
		.convention = is_tail ? REGS_CONVENTION_TAIL_CALL : f->convention,
		.addr = addr,
		.arg0 = (uint32_t)offset,
		.ranges = f->ranges,
		.nranges = f->nranges,
		.module = f->s->prov->takes_jumps && f->nranges ? f->module : NULL,
		.part = part_of(f, addr),
	};

	if (!file_code_is_there(
		    &f->s->file, f->s->t, &f->s->memory,
		    &(struct file_code_place){f->s->target, f->module, f->name, addr,
					      taddr_add(f->lo, (int64_t)f->size)}))
		return;
	if (site.module)
		note_part(f->s, &site);
	pending_sites_add(f->s->target, &site);
}

/* The instruction there may be wanted for its address. */
static void visit_offset(struct function *f, uint64_t offset)
{
	char hex[FMT_MAX];

	fmt_u64(hex, offset, 16);
	if (offset != f->only_offset && !field_wants(f->s->name, hex))
		return;
	f->found_offset |= offset == f->only_offset;
	add_site(f, add_probe(f, hex), KEEPER_SITE_OFFSET, offset);
}

/* The instruction there may be marked, several times. */
static void visit_marks(struct function *f, uint64_t offset)
{
	const struct marks *all = f->s->marks;
	uint64_t value = f->lo.v + offset - f->module->bias;
	const char *own = f->name;

	for (size_t i = marks_first(all, value);
	     i < all->list.len && all->list.data[i].value == value; i++) {
		const struct mark *mark = &all->list.data[i];

		f->name = mark->function ? mark->function : own;
		add_site(f, add_probe(f, mark->name), KEEPER_SITE_OFFSET, offset);
		f->name = own;
		f->nmarked++;
	}
}

/* Called for each instruction of one range of the function, in address order. */
static void visit_instruction(void *ctx, const struct scan_site *site)
{
	struct function *f = ctx;
	/* wraps if the part is before the function */
	uint64_t offset = f->scan.scanned.v + site->offset - f->lo.v;

	if (offset < f->size && (f->wants_offsets || offset == f->only_offset))
		visit_offset(f, offset);
	if (f->s->marks)
		visit_marks(f, offset);
	if (f->wants_return && (site->is_exit || site->is_maybe)) {
		f->ret = f->ret ? f->ret : add_probe(f, "return");
		add_site(f, f->ret, KEEPER_SITE_RETURN, offset);
	}
}

static void visit_data(void *ctx, uint32_t offset, uint32_t n)
{
	struct function *f = ctx;

	(void)offset;
	f->ndata += n;
}

static void scan_failed(struct function *f, int rc, uint64_t at)
{
	char text[512];

	/* A piece that the program has unmapped, or moved elsewhere. */
	if (f->s->target->mapped.is_looking && rc != STATUS_BADFMT)
		return;
	snprintf(text, sizeof(text),
		 "failed to create %s probe(s) for '%s': %s at 0x%llx",
		 f->wants_return ? "return" : "offset", f->name,
		 rc == STATUS_BADFMT ? "no instruction can be decoded"
				     : "its memory cannot be read",
		 (unsigned long long)at);
	if (f->s->is_exact)
		search_error(f->s, "D_PROC_CREATEFAIL", text);
	else
		out_notice(f->s->t->out, "%s", text);
}

/* As it is in memory. A scan ends at the first byte that is no instruction. */
static void scan(struct function *f)
{
	size_t n = f->wants_return || f->s->marks ? f->nranges : 1;
	uint32_t bad;

	f->scan = (struct exits_scan){
		.memory = &f->s->memory,
		.known = f->s->exits,
		.function = f->symbol,
		.ranges = f->ranges,
		.nranges = f->nranges,
		.request = {.site = visit_instruction,
			    .data = visit_data,
			    .ctx = f,
			    .exits_only = !f->wants_offsets && !f->s->marks &&
					  f->only_offset == UINT64_MAX},
	};
	for (size_t i = 0; i < n; i++) {
		int rc = exits_scan_part(&f->scan, i, &bad);

		if (rc)
			scan_failed(f, rc, f->ranges[i].lo.v + bad);
	}
}

static bool is_pattern(const char *field)
{
	return !*field || glob_is_pattern(field);
}

/* Whether the name field can be the name of a probe in some function. */
static bool name_is_valid(const char *name)
{
	uint64_t offset;

	return is_pattern(name) || marks_is_name(name) || unwound_is_name(name) ||
	       strcmp(name, "entry") == 0 || strcmp(name, "return") == 0 ||
	       fmt_parse_u64(name, strlen(name), 16, &offset) == 0;
}

static int refuse_name(struct search *s)
{
	const struct dlang_probe_desc desc = {
		.field = {s->provider, s->module, s->function, s->name}};
	char text[1024];

	if (strcmp(s->function, "-") == 0)
		snprintf(s->m->hint, sizeof(s->m->hint),
			 "the '-' function has addresses: %s::-:401136", s->provider);
	else if (!s->rc && !s->is_later)
		suggest_name(s->t, &desc, s->m);
	snprintf(text, sizeof(text), "'%s' is an invalid probe name%s%s", s->name,
		 *s->m->hint ? "\n\t" : "", s->m->hint);
	return search_error(s, "D_PROC_NAME", text);
}

/* Parses the name field as one hex offset: sets only_offset, or an error. */
static void parse_offset(struct function *f)
{
	const char *name = f->s->name;
	char text[512];
	uint64_t offset;

	if (fmt_parse_u64(name, strlen(name), 16, &offset)) {
		refuse_name(f->s);
	} else if (offset >= f->size) {
		snprintf(text, sizeof(text), "offset 0x%llx outside of function '%s'",
			 (unsigned long long)offset, f->name);
		search_error(f->s, "D_PROC_OFF", text);
	} else {
		f->only_offset = offset;
	}
}

static void check_alignment(struct function *f)
{
	char text[512];

	if (f->only_offset == UINT64_MAX || f->found_offset)
		return;
	snprintf(text, sizeof(text), "offset 0x%llx is not aligned on an instruction",
		 (unsigned long long)f->only_offset);
	search_error(f->s, "D_PROC_ALIGN", text);
}

/* Instructions to which only the address leads that the code takes are left out, too. */
static void explain_data(const struct function *f)
{
	if (f->ndata && f->s->is_exact && (f->wants_return || f->wants_offsets))
		out_notice(
			f->s->t->out,
			"%llu bytes of '%s' have no probes: its code names them, and "
			"no direct jump leads there, so they may be data",
			(unsigned long long)f->ndata, f->name);
}

/* Sets the hint if there is no probe because of this. */
static void explain_no_return(struct function *f)
{
	struct search *s = f->s;

	if (f->wants_return && !f->ret && s->is_exact && !s->m->ids.len)
		snprintf(s->m->hint, sizeof(s->m->hint), "'%s' does not return",
			 f->name);
}

/* Whether its return probe can fire at the end of a tail call is found out later. */
static void note_tail_calls(const struct function *f, size_t first)
{
	struct target *target = f->s->target;

	if (f->exits.ntails && f->convention == REGS_CONVENTION_C)
		*vec_push(&target->tail_functions) = (struct tail_function){
			.probe = f->ret,
			.takes_jumps = f->s->prov->takes_jumps,
			.is_named = !is_pattern(f->s->function),
			.is_only = !f->exits.nreturns,
			.module = f->module,
			.symbol = f->symbol,
			.first = first,
			.end = target->sites.len,
		};
}

static void apply_name(struct function *f)
{
	const size_t first = f->s->target->sites.len;
	const char *name = f->s->name;
	bool wants_entry = f->s->wants_entry;

	f->wants_return = f->s->wants_return;
	f->wants_offsets = !*name || glob_is_pattern(name);
	if (!wants_entry && !f->wants_return && !f->wants_offsets)
		parse_offset(f);
	if (wants_entry) {
		f->entry = add_probe(f, "entry");
		add_site(f, f->entry, KEEPER_SITE_ENTRY, 0);
	}
	if (f->wants_return || f->wants_offsets || f->only_offset != UINT64_MAX) {
		scan(f);
		note_tail_calls(f, first);
		check_alignment(f);
		explain_data(f);
		explain_no_return(f);
	}
}

static void apply_unwound(struct function *f)
{
	struct unwound_function u = {
		.lo = f->lo, .ranges = f->ranges, .nranges = f->nranges};

	u.probe = add_probe(f, UNWOUND_NAME);
	probes_get(&f->s->t->probes, u.probe)->is_frame = true;
	unwound_add(f->s->target, &u);
}

static size_t count_marks(const struct function *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->nranges; i++)
		n += marks_first(f->s->marks, f->ranges[i].hi.v - f->module->bias) -
		     marks_first(f->s->marks, f->ranges[i].lo.v - f->module->bias);
	return n;
}

/* Debug data may be wrong: nothing is placed inside of an instruction. */
static void apply_marks(struct function *f)
{
	size_t n = count_marks(f);

	if (!n)
		return;
	scan(f);
	if (f->nmarked < n)
		out_notice(f->s->t->out,
			   "%zu of %zu places for '%s' in '%s' are not aligned on an "
			   "instruction",
			   n - f->nmarked, n, f->s->name, f->name);
}

static void apply_range(struct search *s, struct module *m, const struct symbol *sym,
			const char *name)
{
	struct function f = {.s = s,
			     .module = m,
			     .symbol = sym,
			     .name = name,
			     .only_offset = UINT64_MAX};

	if (progress_at(s->t, "finding sites", m->name, s->target->sites.len, 0))
		return;
	f.lo = module_address(m, sym->value);
	f.convention = symbol_convention(m, sym);
	f.size = sym->size;
	f.nranges = exits_ranges(m, sym, f.ranges);
	if (s->marks)
		apply_marks(&f);
	else if (unwound_is_name(s->name))
		apply_unwound(&f);
	else
		apply_name(&f);
}

static const char *shown_name(const struct search *s, const struct module *m,
			      const struct symbol *sym)
{
	const char *readable = s->t->options.demangle ? symbol_demangled(m, sym) : NULL;

	return readable ? readable : sym->name;
}

/* An ifunc: the probes of all its variants have its name. */
struct choice {
	struct search *s;
	struct module *m;
	const char *name;
};

static void found_choice(void *ctx, const struct symbol *sym)
{
	struct choice *c = ctx;

	apply_range(c->s, c->m, sym, c->name);
}

/* Applies the description to the variant that the loader has chosen already. */
static bool apply_known_choice(const struct choice *c, const struct symbol *ifunc)
{
	struct module *owner;
	const struct symbol *chosen = ifunc_chosen(c->s->target, c->m, ifunc, &owner);

	if (chosen)
		apply_range(c->s, owner, chosen, c->name);
	return chosen != NULL;
}

static void apply_chosen(struct search *s, struct module *m, const struct symbol *ifunc)
{
	struct choice c = {s, m, shown_name(s, m, ifunc)};

	if (!apply_known_choice(&c, ifunc) &&
	    !ifunc_choices(s->target, m, ifunc, found_choice, &c))
		snprintf(s->m->hint, sizeof(s->m->hint),
			 "'%s' is an ifunc, and which of its variants is used is not "
			 "known",
			 ifunc->name);
}

static void apply_function(struct search *s, struct module *m, const struct symbol *sym)
{
	if (s->rc)
		return;
	if (sym->is_ifunc && !s->marks)
		apply_chosen(s, m, sym);
	else if (!sym->is_ifunc)
		apply_range(s, m, sym, shown_name(s, m, sym));
}

struct module_search {
	struct search *s;
	struct module *m;
};

static void found_function(void *ctx, const struct symbol *sym)
{
	struct module_search *ms = ctx;

	apply_function(ms->s, ms->m, sym);
}

/* A symbol that is no function, or has no size, matches nothing; the hint says so. */
static bool is_sizeless(struct search *s, const struct module *m)
{
	taddr any;

	if (module_lookup_any(m, s->function, &any))
		return false;
	snprintf(s->m->hint, sizeof(s->m->hint),
		 "'%s' of '%s' is not a function, or has no size", s->function,
		 m->name);
	return true;
}

static void apply_named(struct search *s, struct module *m)
{
	const struct explain x = {s->t, s->target, s->function};
	struct module_search ms = {s, m};
	size_t n = module_select(m, s->function, found_function, &ms);
	char text[1024];
	int len;

	if (n > 0)
		explain_copies(&x, m);
	if (n > 0 || m->is_part || !s->is_exact || s->is_later || is_sizeless(s, m))
		return;
	if (s->t->zero_ok && !s->t->is_listing)
		return;
	len = snprintf(text, sizeof(text), "failed to lookup '%s' in module '%s'",
		       s->function, m->name);
	explain_missing(&x, m, s->m);
	if (*s->m->hint && len > 0 && (size_t)len < sizeof(text))
		snprintf(text + len, sizeof(text) - (size_t)len, "\n\t%s", s->m->hint);
	search_error(s, "D_PROC_FUNC", text);
}

/* The function field says which functions hold lines, and which have inlined copies. */
static void apply_marked(struct search *s, struct module *m)
{
	const struct marks_request r = {s->t, m, s->function, s->name};
	bool is_inlined = marks_is_inlined(s->name);
	struct module_search ms = {s, m};
	struct marks marks;

	marks_find(&r, &marks);
	s->marks = &marks;
	if (!is_inlined && *s->function && !glob_is_pattern(s->function))
		apply_named(s, m);
	else if (marks.list.len)
		module_match(m, is_inlined ? "" : s->function, found_function, &ms);
	s->marks = NULL;
	marks_release(&marks);
	if (!s->rc && !s->is_later && !s->m->ids.len && !*s->m->hint)
		marks_explain(&r, s->m);
}

static void add_to_exits(void *ctx, const struct symbol *sym)
{
	struct exits_functions *functions = ctx;

	if (sym->is_ifunc)
		return;
	functions->bytes += sym->size;
	*vec_push(functions) = sym;
}

/* The same with returns: where they are is looked for in all functions at once. */
static void apply_returns(struct search *s, struct module *m)
{
	struct exits_functions functions = {0};

	module_match(m, s->function, add_to_exits, &functions);
	if (functions.len && s->prov->takes_jumps)
		begin_image(s, m, functions.len);
	s->exits = exits_find(s->t, m, &functions);
	for (size_t i = 0; i < functions.len && !tracer_is_interrupted(s->t); i++)
		apply_function(s, m, functions.data[i]);
	exits_free(s->exits);
	s->exits = NULL;
	vec_release(&functions);
}

/* Applies the description to all functions that a glob selects. */
static void apply_glob(struct search *s, struct module *m)
{
	struct module_search ms = {s, m};

	if (s->wants_return && !is_pattern(s->name))
		apply_returns(s, m);
	else
		module_match(m, s->function, found_function, &ms);
	explain_copies(&(struct explain){s->t, s->target, s->function}, m);
}

static void apply_module(void *ctx, struct module *m)
{
	struct search *s = ctx;

	if (s->rc || m->is_vdso)
		return;
	if (is_pattern(s->module) && explain_left_out(s->t, m, s->m))
		return;
	progress_at(s->t, "reading symbols", m->name, 0, 0);
	if (!objects_have_symbols(s->t, m))
		return;
	if (marks_is_name(s->name))
		apply_marked(s, m);
	else if (*s->function && !glob_is_pattern(s->function))
		apply_named(s, m);
	else
		apply_glob(s, m);
}

/* pid123::-:401136, any address of the process. */
static int apply_absolute(struct search *s)
{
	static const char only_exe[] =
		"only the a.out module is valid with the '-' function";
	static const char only_one[] =
		"only individual addresses may be specified with the '-' function";
	struct module *exe = NULL;
	struct function f = {.s = s, .name = "-"};
	uint64_t addr;

	if (*s->module && strcmp(s->module, "a.out") != 0)
		return search_error(s, "D_PROC_LIB", only_exe);
	if (!*s->name || glob_is_pattern(s->name))
		return search_error(s, "D_PROC_NAME", only_one);
	if (fmt_parse_u64(s->name, strlen(s->name), 16, &addr))
		return refuse_name(s);
	for (size_t i = 0; i < s->target->modules->len && !exe; i++)
		if (s->target->modules->data[i]->is_exe)
			exe = s->target->modules->data[i];
	if (!exe)
		return 0;
	f.module = exe;
	f.lo = taddr_of(addr);
	add_site(&f, add_probe(&f, s->name), KEEPER_SITE_OFFSET, 0);
	return 0;
}

/* What follows from its fields. */
static void begin_search(struct search *s)
{
	snprintf(s->provider, sizeof(s->provider), "%s%d", s->prov->name,
		 s->target->family);
	s->wants_entry = field_wants(s->name, "entry");
	s->wants_return = field_wants(s->name, "return");
}

static int apply(struct search *s)
{
	const struct symbols_choice all = {s->target->modules, s->module,
					   explain_is_left_out};
	const struct explain x = {s->t, s->target, s->function};
	size_t found;

	begin_search(s);
	s->is_exact = !is_pattern(s->function) && !is_pattern(s->module);
	if (strcmp(s->function, "-") == 0)
		return apply_absolute(s);
	if (!name_is_valid(s->name))
		return refuse_name(s);
	if (unwound_is_name(s->name))
		unwound_watch_all(s->t, s->target);
	found = symbols_ahead_select(s->t, &all, apply_module, s);
	s->m->is_awaited = found == 0 && explain_awaited(s->t, s->target, s->module);
	if (s->rc || s->m->ids.len > 0 || *s->m->hint)
		return s->rc;
	if (found == 0)
		explain_no_object(s->target, s->module, s->m);
	else if (!is_pattern(s->function))
		explain_missing(&x, NULL, s->m);
	return 0;
}

static int provide_generated(const struct search *s)
{
	const struct generated_request r = {s->prov, s->target, s->function, s->name};

	return generated_provide(s->t, &r, s->m, s->e);
}

static int pid_provide(const struct provider *self, struct tracer *t,
		       const struct dlang_probe_desc *desc, struct match *m,
		       struct err *e)
{
	struct search s = {.prov = self,
			   .t = t,
			   .module = desc->field[1],
			   .function = desc->field[2],
			   .name = desc->field[3],
			   .m = m,
			   .e = e};
	struct err why;
	int pid = pid_field_process(self, desc->field[0], e), rc;

	if (pid <= 0)
		return pid;
	s.target = target_find(t, pid);
	if (!s.target && spawn_grab(t, pid, false, &why))
		return err_tag(e, "D_PROC_GRAB", "failed to grab process %d: %s", pid,
			       why.text);
	s.target = target_find(t, pid);
	if (generated_is_module(s.module))
		return provide_generated(&s);
	s.memory.memory = s.target->memory;
	rc = apply(&s);
	procmem_window_release(&s.memory);
	return rc;
}

static void provide_module(struct search *s, const char *field, struct module *module)
{
	if (pid_field_process(s->prov, field, s->e) != s->target->family ||
	    generated_is_module(s->module) || strcmp(s->function, "-") == 0)
		return;
	begin_search(s);
	if (unwound_is_name(s->name)) /* any object may leave frames of any other */
		unwound_watch(s->t, s->target, module);
	if (modules_selects(s->target->modules, s->module, module))
		apply_module(s, module);
}

static void pid_provide_object(const struct provider *self, struct tracer *t,
			       const struct provider_object *o, struct match *m)
{
	struct err ignored;
	struct search s = {.prov = self,
			   .t = t,
			   .target = o->target,
			   .module = o->field[1],
			   .function = o->field[2],
			   .name = o->field[3],
			   .is_later = true,
			   .m = m,
			   .memory = {.memory = o->target->memory},
			   .e = &ignored};

	provide_module(&s, o->field[0], o->module);
	file_code_release(&s.file);
	procmem_window_release(&s.memory);
}

static void pid_before_sending(struct tracer *t, struct target *target)
{
	tail_calls_follow(t, target);
	unwound_send(t, target);
}

const struct provider prov_pid = {
	.name = "pid",
	.contexts = CONTEXT_KEEPER,
	.attributes = {"Evolving/Evolving/ISA", "Private/Private/Unknown",
		       "Private/Private/Unknown", "Evolving/Evolving/ISA",
		       "Private/Private/Unknown"},
	.provide = pid_provide,
	.provide_object = pid_provide_object,
	.names_process = pid_field_names_process,
	.names_family = pid_field_names_family,
	.process = pid_field_of_probe,
	.before_sending = pid_before_sending,
	.sites_answered = generated_answered,
};

const struct provider prov_fpid = {
	.name = "fpid",
	.contexts = CONTEXT_KEEPER | CONTEXT_RESIDENT,
	.takes_jumps = true,
	.attributes = {"Evolving/Evolving/ISA", "Private/Private/Unknown",
		       "Private/Private/Unknown", "Evolving/Evolving/ISA",
		       "Private/Private/Unknown"},
	.provide = pid_provide,
	.provide_object = pid_provide_object,
	.names_process = pid_field_names_process,
	.names_family = pid_field_names_family,
	.process = pid_field_of_probe,
};

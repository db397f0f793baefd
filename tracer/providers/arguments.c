/* SPDX-License-Identifier: MIT */
/*
 * The arguments of a function come from its debug data, those of other probes from their
 * provider. All probes of a clause must agree on the arguments that it uses.
 */
#include "tracer/providers/arguments.h"
#include "tracer/targets/convert.h"
#include "tracer/base/core.h"
#include "tracer/targets/target.h"
#include "tracer/targets/typing.h"
#include "vm/base/fmt.h"
#include "vm/base/regs.h"

#include <stdio.h>
#include <string.h>

/* One probe of a function, and what is known of its arguments. */
struct arguments {
	struct convert_object *object;
	struct target_function function;
	struct target_spot spot; /* its first instruction */
	bool is_return, has_types;
	uint32_t count;
	bool is_given; /* by the provider, not by types */
	struct provider_arguments given;
	const struct type *record; /* of an event of the kernel, or NULL */
	const char *why;	   /* the types are unknown */
};

static struct module *probe_module(const struct tracer *t, const struct probe *p)
{
	int pid = p->provider->process ? p->provider->process(&t->probes, p) : 0;
	const struct target *target = pid ? target_find(t, pid) : NULL;
	const char *name = probes_name(&t->probes, p, PROBE_MODULE);

	for (size_t i = 0; target && target->modules && i < target->modules->len; i++)
		if (strcmp(target->modules->data[i]->name, name) == 0)
			return target->modules->data[i];
	return NULL;
}

static void keep_first(void *ctx, const struct symbol *sym)
{
	const struct symbol **first = ctx;

	*first = *first ? *first : sym;
}

/* Reads the types of a function, of which n have the name. NULL, or why they are
 * unknown. */
static const char *find_types(struct arguments *out, const struct symbol *sym, size_t n)
{
	const struct convert_object *o = out->object;
	const char *why;

	if (!o->types)
		return o->why.text;
	if (n > 1)
		return "several functions have this name";
	if (module_types_function(o->types, sym->value, out->spot.by, &out->function))
		return NULL;
	why = module_types_split_why(o->types);
	return why ? why : "its source file was compiled without -g";
}

static void find_in_function(const struct tracer *t, const struct probe *p,
			     struct arguments *out)
{
	const struct probes *ps = &t->probes;
	const char *function = probes_name(ps, p, PROBE_FUNCTION);
	const char *name = probes_name(ps, p, PROBE_NAME);
	struct module *m = probe_module(t, p);
	const struct symbol *sym = NULL;
	size_t n = m ? module_select(m, function, keep_first, &sym) : 0;
	bool is_entry = strcmp(name, "entry") == 0;

	out->is_return = strcmp(name, "return") == 0;
	out->count = 0;
	if (!sym || (!is_entry && !out->is_return))
		return; /* it has no arguments */
	out->object = typing_object(t->typing, m);
	convert_spot(out->object, m, sym, sym->value, &out->spot);
	out->spot.is_edge = true;
	out->why = find_types(out, sym, n);
	out->has_types = !out->why;
	if (!out->has_types)
		return;
	if (is_entry)
		out->count = out->function.nparams;
	else
		out->count = out->function.result.type ? 2 : 1;
}

/*
 * An intrinsic type, or a pointer to one in the program's memory. Of a recording the name
 * may be any: its value, or where it points to, then has no type.
 */
static const struct type *given_type(struct types *ts, const char *name)
{
	const struct type *t, *pointee;
	const char *star;
	char base[32];

	name += strncmp(name, "userland ", 9) == 0 ? 9 : 0;
	t = type_find(ts, name);
	star = strchr(name, '*');
	if (t || !star)
		return t ? t : type_find(ts, "uint64_t");
	name += strncmp(name, "const ", 6) == 0 ? 6 : 0;
	snprintf(base, sizeof(base), "%.*s", (int)(star - name), name);
	base[strcspn(base, "*")] = '\0';
	while (*base && base[strlen(base) - 1] == ' ')
		base[strlen(base) - 1] = '\0';
	pointee = star[1] ? NULL : type_find(ts, base);
	return type_userland(
		ts, type_pointer(ts, pointee ? pointee : type_find(ts, "void")));
}

static void find_record(const struct tracer *t, struct types *ts, const struct probe *p,
			struct arguments *out)
{
	out->record = p->provider->record(t, p, ts, &out->why);
	out->count = 1;
	out->has_types = out->record;
}

static void find_arguments(const struct tracer *t, struct types *ts,
			   const struct probe *p, struct arguments *out)
{
	if (p->provider->record) {
		find_record(t, ts, p, out);
		return;
	}
	out->has_types = true;
	out->is_given = p->provider->arguments != NULL;
	if (!out->is_given) {
		find_in_function(t, p, out);
		return;
	}
	p->provider->arguments(&t->probes, p, &out->given);
	out->count = out->given.n;
	out->why = out->given.why;
	out->has_types = !out->why;
}

#define RAW_MAX 10 /* arg0 ... arg9 */

/* A value of Go whose words are in general registers that follow each other. */
static void join_go(struct types *ts, const struct target_param *p,
		    struct typesrc_argument *out)
{
	struct where *w = arena_alloc(ts->arena, sizeof(*w));

	for (uint32_t i = 0; i < p->npieces; i++) {
		w->nodes[i] = (struct where_node){
			.op = WHERE_REGISTER,
			.n = regs_ureg_of_dwarf(regs_dwarf_of_go(p->arg + i))};
		w->pieces[i] = (struct where_piece){WHERE_VALUE, (uint16_t)i, 8};
	}
	w->nnodes = w->npieces = p->npieces;
	if (p->npieces == 1)
		w->pieces[0].size = 0;
	out->where = w;
}

/* Sets where a value of Go is. NULL, or why it cannot be read. */
static const char *place_go(struct types *ts, const struct target_param *p,
			    bool is_return, struct typesrc_argument *out)
{
	out->raw = p->passing == PASSED_VECTOR ? p->vector : is_return ? 1 : p->arg;
	switch (p->passing) {
	case PASSED_ARG:
		return p->arg < RAW_MAX ? NULL : "it lies beyond arg9";
	case PASSED_VECTOR:
		out->is_vector = true;
		return NULL;
	case PASSED_PIECES:
		if (!p->npieces || p->arg + p->npieces > REGS_GO_INTEGERS)
			return "it is passed in pieces, in registers";
		join_go(ts, p, out);
		return NULL;
	case PASSED_UNKNOWN:
		return "how this function of Go is called is not known";
	default:
		return "it is passed by value, on the stack";
	}
}

/* The number of the raw argument that is in the register; RAW_MAX: none. */
static uint32_t raw_of(uint64_t ureg, bool is_return)
{
	static const uint8_t order[] = {
		REGS_DWARF_RDI, REGS_DWARF_RSI, REGS_DWARF_RDX, REGS_DWARF_RCX, 8, 9};

	if (is_return)
		return ureg == regs_ureg_of_dwarf(REGS_DWARF_RAX) ? 1 : RAW_MAX;
	for (uint32_t i = 0; i < ARRAY_LEN(order); i++)
		if (ureg == regs_ureg_of_dwarf(order[i]))
			return i;
	return RAW_MAX;
}

/*
 * Sets where the value is: in a raw argument if it is in one, which is the quickest way.
 * NULL, or why it cannot be read.
 */
static const char *place_where(struct types *ts, const struct where *w, bool is_return,
			       struct typesrc_argument *out)
{
	const struct where_piece *p = &w->pieces[0];
	struct where *copy;

	if (where_is_gone(w))
		return w->why;
	for (uint32_t i = 0; i < w->nnodes; i++)
		if (w->nodes[i].op == WHERE_ADDRESS)
			return "it is an address of the program: locals has it by name";
	if (w->npieces == 1 && p->kind == WHERE_VECTOR && type_is_float(out->type)) {
		out->is_vector = true;
		out->raw = p->node;
		return NULL;
	}
	if (w->npieces == 1 && p->kind != WHERE_VECTOR &&
	    w->nodes[p->node].op == WHERE_REGISTER) {
		out->raw = raw_of(w->nodes[p->node].n, is_return);
		out->is_address = p->kind == WHERE_MEMORY;
		if (out->raw < RAW_MAX &&
		    (out->is_address || type_is_scalar(out->type)))
			return NULL;
	}
	out->is_address = false;
	copy = arena_alloc(ts->arena, sizeof(*copy));
	*copy = *w;
	out->where = copy;
	return NULL;
}

/* A parameter, or the result. */
static const char *get_value(struct types *ts, const struct arguments *a, uint32_t n,
			     struct typesrc_argument *out)
{
	const struct target_param *p =
		a->is_return ? &a->function.result : &a->function.params[n];
	struct where where;

	out->type = convert_type(a->object, ts, p->type);
	out->is_result = a->is_return;
	if (a->spot.by != REGS_CONVENTION_C)
		return place_go(ts, p, a->is_return, out);
	if (a->is_return)
		module_types_result(a->object->types, &a->spot, &where);
	else
		module_types_parameter(a->object->types, &a->spot, n, &where);
	return place_where(ts, &where, a->is_return, out);
}

/* Sets args[n] of one probe. NULL, or why it cannot be read. */
static const char *get_argument(struct types *ts, const struct arguments *a, uint32_t n,
				struct typesrc_argument *out)
{
	*out = (struct typesrc_argument){.type = ts->t_int};
	if (a->record) {
		out->type = a->record;
		out->is_record = true;
		return NULL;
	}
	if (a->is_given) {
		out->inlined = a->given.list[n].inlined;
		out->raw = n;
		if (!out->inlined && !a->given.list[n].type)
			return "where its note says it is, is not understood";
		if (!out->inlined)
			out->type = given_type(ts, a->given.list[n].type);
		return NULL;
	}
	return a->is_return && n == 0 ? NULL : get_value(ts, a, n, out);
}

const struct trace_spec *arguments_next_spec(const struct tracer *t, size_t *at)
{
	while (*at < t->specs.len) {
		const struct trace_spec *s = &t->specs.data[(*at)++];

		if (s->clause == t->clause)
			return s;
	}
	return NULL;
}

struct functions {
	bool (*visit)(void *ctx, struct module *m, uint64_t value);
	void *ctx;
	struct module *module;
	bool is_over;
};

static void visit_function(void *ctx, const struct symbol *sym)
{
	struct functions *f = ctx;

	f->is_over = f->is_over || !f->visit(f->ctx, f->module, sym->value);
}

void arguments_functions(const struct tracer *t,
			 bool (*visit)(void *ctx, struct module *m, uint64_t value),
			 void *ctx)
{
	struct functions f = {.visit = visit, .ctx = ctx};
	const struct trace_spec *s;
	size_t at = 0;

	while (!f.is_over && (s = arguments_next_spec(t, &at)))
		for (size_t i = 0; i < s->ids.len && !f.is_over; i++) {
			const struct probe *p = probes_get(&t->probes, s->ids.data[i]);

			if (!p->provider || !p->provider->process)
				continue;
			f.module = probe_module(t, p);
			if (f.module)
				module_select(
					f.module,
					probes_name(&t->probes, p, PROBE_FUNCTION),
					visit_function, &f);
		}
}

static int bad_index(const struct trace_spec *s, uint32_t n, struct err *e)
{
	return err_tag(e, "D_ARGS_IDX",
		       "index %u is out of range for %s:%s:%s:%s args[ ]", n,
		       s->field[0], s->field[1], s->field[2], s->field[3]);
}

static int differing(const struct trace_spec *s, struct err *e)
{
	return err_tag(e, "D_ARGS_MULTI",
		       "args[ ] may not be referenced because probe description "
		       "%s:%s:%s:%s matches an unstable set of probes",
		       s->field[0], s->field[1], s->field[2], s->field[3]);
}

static bool is_same_argument(const struct typesrc_argument *a,
			     const struct typesrc_argument *b)
{
	return a->raw == b->raw && a->is_address == b->is_address &&
	       a->is_vector == b->is_vector && a->is_record == b->is_record &&
	       a->is_result == b->is_result && a->inlined == b->inlined &&
	       !a->where == !b->where &&
	       (!a->where || where_is_same(a->where, b->where)) &&
	       type_is_same(a->type, b->type);
}

/* args[n] as all probes so far have it. */
struct agreement {
	const struct trace_spec *spec;
	uint32_t n;
	struct typesrc_argument *out;
	bool is_any;
};

static int agree(const struct tracer *t, struct types *ts, const struct probe *p,
		 struct agreement *g, struct err *e)
{
	struct typesrc_argument found;
	struct arguments a = {0};
	const char *why;

	find_arguments(t, ts, p, &a);
	if (a.has_types && g->n >= a.count)
		return g->is_any ? differing(g->spec, e) : bad_index(g->spec, g->n, e);
	why = a.has_types ? get_argument(ts, &a, g->n, &found) : a.why;
	if (why)
		return err_tag(e, "D_ARGS_TYPE",
			       "failed to resolve native type for args[%u] of %s: %s",
			       g->n, probes_name(&t->probes, p, PROBE_FUNCTION), why);
	if (g->is_any && !is_same_argument(&found, g->out))
		return differing(g->spec, e);
	g->is_any = true;
	*g->out = found;
	return 0;
}

int arguments_get(const struct tracer *t, struct types *ts, uint32_t n,
		  struct typesrc_argument *out, struct err *e)
{
	struct agreement g = {.n = n, .out = out};
	const struct trace_spec *s, *last = NULL;
	size_t at = 0;

	while ((s = arguments_next_spec(t, &at))) {
		last = g.spec = s;
		for (size_t i = 0; i < s->ids.len; i++) {
			const struct probe *p = probes_get(&t->probes, s->ids.data[i]);
			int rc = agree(t, ts, p, &g, e);

			if (rc)
				return rc;
		}
	}
	if (g.is_any)
		return 0;
	if (!last)
		return err_tag(
			e, "D_ARGS_NONE",
			"args[ ] may not be referenced: the clause has no probe");
	return bad_index(last, n, e);
}

#define PROBES_ASKED 16 /* of one clause, for a parameter */

static bool has_parameter(const struct tracer *t, const struct probe *p,
			  const char *name, uint32_t *n)
{
	struct arguments a = {0};

	if (p->provider->record)
		return false;
	find_arguments(t, NULL, p, &a);
	if (!a.has_types || a.is_given || a.is_return)
		return false;
	for (uint32_t i = 0; i < a.function.nparams && i < TARGET_PARAMS_MAX; i++) {
		const char *own = a.function.params[i].name;

		if (own && strcmp(own, name) == 0) {
			*n = i;
			return true;
		}
	}
	return false;
}

bool arguments_parameter(const struct tracer *t, const char *name, uint32_t *n)
{
	const struct trace_spec *s;
	size_t at = 0, asked = 0;

	while ((s = arguments_next_spec(t, &at)))
		for (size_t i = 0; i < s->ids.len && asked++ < PROBES_ASKED; i++)
			if (has_parameter(t, probes_get(&t->probes, s->ids.data[i]),
					  name, n))
				return true;
	return false;
}

/* As it is declared: that a pointer leads out of dtrace is no part of it. */
static const char *plain_name(const struct type *t)
{
	static const char prefix[] = "userland ";
	size_t n = sizeof(prefix) - 1;

	return strncmp(t->name, prefix, n) ? t->name : t->name + n;
}

const char *arguments_type_name(const struct tracer *t, struct types *ts,
				const struct probe *p, uint32_t n)
{
	struct typesrc_argument found;
	struct arguments a = {0};

	find_arguments(t, ts, p, &a);
	if (!a.has_types || n >= a.count)
		return NULL;
	if (a.is_given)
		return a.given.list[n].type ? a.given.list[n].type : "unknown";
	get_argument(ts, &a, n, &found);
	return a.record ? plain_name(a.record) : found.type->name;
}

void arguments_members(const struct tracer *t, struct types *ts, const struct probe *p,
		       uint32_t n, struct strbuf *text)
{
	struct arguments a = {0};

	if (!p->provider->record || n > 0)
		return;
	find_record(t, ts, p, &a);
	if (!a.has_types)
		return;
	for (const struct type_member *m = type_pointee(ts, a.record)->members; m;
	     m = m->next)
		strbuf_printf(text, "%s: %s\n", m->name, plain_name(m->type));
}

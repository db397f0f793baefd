/* SPDX-License-Identifier: MIT */
/*
 * Which object a question is about, and what is remembered of the answers.
 * From debugging data to D types: convert.c.
 */
#include "tracer/typing.h"
#include "tracer/convert.h"
#include "tracer/trace.h"
#include "vm/base/fmt.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct typing {
	struct tracer *t;
	struct typesrc source;
	struct {
		struct convert_object **data;
		size_t len, cap;
	} objects; /* asked so far */
};

/* ---- objects ---- */

static struct convert_object *object_of(struct typing *y, const struct module *m)
{
	struct convert_object *o;

	for (size_t i = 0; i < y->objects.len; i++) {
		o = y->objects.data[i];
		if (o->dev == m->dev && o->ino == m->ino && !strcmp(o->name, m->name))
			return o;
	}
	o = oom_calloc(1, sizeof(*o));
	o->source = &y->source;
	o->name = memcpy(oom_calloc(1, strlen(m->name) + 1), m->name, strlen(m->name));
	o->dev = m->dev;
	o->ino = m->ino;
	if (module_types_open(m, &o->types, &o->why))
		o->types = NULL;
	*vec_push(&y->objects) = o;
	return o;
}

bool typing_inlined(struct typing *y, const struct module *m, const char *name,
		    bool in_full, struct target_inlined *out)
{
	struct convert_object *o;

	if (m->is_vdso || (!in_full && !module_has_types(m)))
		return false;
	o = object_of(y, m);
	if (!o->types)
		return false;
	module_types_inlined(o->types, name, out);
	return out->ncopies > 0;
}

/* What the part of a name before the last backquote selects. */
struct choice {
	struct target *target;
	const char *object; /* NULL: all */
};

/* The one of -c or -p, or the only one there is. */
static struct target *default_target(const struct tracer *t)
{
	struct target *only = NULL;
	size_t n = 0;

	for (size_t i = 0; i < t->targets.len; i++) {
		struct target *target = t->targets.data[i];

		if (!target->alive)
			continue;
		if (target->is_named)
			return target;
		only = target;
		n++;
	}
	return n == 1 ? only : NULL;
}

/* "pid", "pid123", or either with `object or `LM0`object; else an object. */
static bool parse_scope(const struct tracer *t, const char *scope, struct choice *c)
{
	size_t n = strcspn(scope ? scope : "", "`");
	uint64_t pid;

	*c = (struct choice){default_target(t), scope};
	if (!scope || strncmp(scope, "pid", 3) != 0)
		return c->target != NULL;
	if (n > 3) {
		if (fmt_parse_u64(scope + 3, n - 3, 10, &pid) || pid > INT32_MAX)
			return c->target != NULL; /* pidgin`x is an object */
		c->target = target_find(t, (int)pid);
	}
	c->object = scope[n] ? scope + n + 1 : NULL;
	return c->target != NULL;
}

/* Calls visit() for each chosen object, the program first, until it returns true. */
struct visitor {
	bool (*visit)(void *ctx, struct module *m);
	void *ctx;
	bool is_done;
};

static void visit_module(void *ctx, struct module *m)
{
	struct visitor *v = ctx;

	if (!v->is_done)
		v->is_done = v->visit(v->ctx, m);
}

static size_t visit_objects(const struct choice *c, struct visitor *v)
{
	const struct modules *ms = c->target->modules;

	if (!ms)
		return 0;
	if (c->object)
		return modules_select(ms, c->object, visit_module, v);
	for (size_t i = 0; i < ms->len; i++)
		if (ms->data[i]->is_exe)
			visit_module(v, ms->data[i]);
	/* what was loaded first lies highest */
	for (size_t i = ms->len; i-- > 0;)
		if (!ms->data[i]->is_exe && !ms->data[i]->is_vdso)
			visit_module(v, ms->data[i]);
	return ms->len;
}

/* ---- types ---- */

struct type_search {
	struct typing *y;
	enum target_kind kind;
	const char *name;
	struct convert_object *object;
	uint64_t ref;
};

/* True when the search is over; a declaration alone lets it go on. */
static bool find_in_object(void *ctx, struct module *m)
{
	struct type_search *s = ctx;
	struct convert_object *o = object_of(s->y, m);
	struct target_type what;
	uint64_t ref = o->types ? module_types_find(o->types, s->kind, s->name) : 0;

	if (!ref)
		return false;
	module_types_get(o->types, ref, &what);
	if (!s->ref || what.is_complete) {
		s->object = o;
		s->ref = ref;
	}
	return what.is_complete;
}

static void parse_kind(const char *name, struct type_search *s)
{
	static const struct {
		const char *word;
		enum target_kind kind;
	} words[] = {
		{"struct ", TARGET_STRUCT},
		{"class ", TARGET_STRUCT},
		{"union ", TARGET_UNION},
		{"enum ", TARGET_ENUM},
	};

	s->kind = TARGET_ALIAS;
	s->name = name;
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		size_t n = strlen(words[i].word);

		if (strncmp(name, words[i].word, n) != 0)
			continue;
		s->kind = words[i].kind;
		s->name = name + n;
	}
}

static const struct type *find_type(void *ctx, struct types *ts, const char *object,
				    const char *name)
{
	struct typing *y = ctx;
	struct type_search s = {.y = y};
	struct visitor v = {find_in_object, &s, false};
	struct choice c;

	if (!parse_scope(y->t, object, &c))
		return NULL;
	parse_kind(name, &s);
	visit_objects(&c, &v);
	return s.ref ? convert_type(s.object, ts, s.ref) : NULL;
}

/* A struct that its own object only declares may be defined in another. */
static bool complete_type(void *ctx, struct types *ts, struct type *t)
{
	struct typing *y = ctx;
	struct type_search s = {.y = y};
	struct visitor v = {find_in_object, &s, false};
	struct choice c;

	if (convert_complete(ts, t))
		return true;
	if (!parse_scope(y->t, NULL, &c) || strchr(t->name, '<'))
		return false;
	parse_kind(t->name, &s);
	visit_objects(&c, &v);
	return v.is_done && convert_complete_from(s.object, ts, s.ref, t);
}

/* ---- variables and functions ---- */

struct symbol_search {
	struct typing *y;
	const struct module *exe;
	struct types *ts;
	const char *name;
	const struct type *type;
	uint64_t address;
	const char *untyped; /* object that has the name without a type ... */
	struct err why;	     /* ... because of this */
};

static bool find_function(struct symbol_search *s, struct module *m)
{
	const struct symbol *sym;
	struct err ignored;

	if (module_load_symbols(m, &ignored))
		return false;
	sym = module_find(m, s->name);
	if (!sym)
		return false;
	s->type = s->ts->t_func;
	s->address = module_address(m, sym->value).v;
	return true;
}

static bool find_symbol(void *ctx, struct module *m)
{
	struct symbol_search *s = ctx;
	struct convert_object *o = object_of(s->y, m);
	struct err why = o->why;
	uint64_t ref, value;
	taddr any;
	int rc = STATUS_NOENT;

	if (o->types)
		rc = module_types_variable(o->types, s->name, &ref, &value, &why);
	if (rc == 0) {
		s->type = convert_type(o, s->ts, ref);
		if (!s->exe || !module_variable_moved(s->exe, m, s->name, value, &any))
			any = module_address(m, value);
		s->address = any.v;
		return true;
	}
	if (find_function(s, m))
		return true;
	if (s->untyped)
		return false;
	if (rc == STATUS_UNSUP && o->types) {
		s->untyped = m->name; /* and it has no address */
		s->why = why;
	} else if (module_lookup_any(m, s->name, &any) == 0) {
		s->untyped = m->name;
		s->why = why;
		s->address = any.v;
	}
	return false;
}

static const struct module *exe_of(const struct target *target)
{
	const struct modules *ms = target->modules;

	for (size_t i = 0; ms && i < ms->len; i++)
		if (ms->data[i]->is_exe)
			return ms->data[i];
	return NULL;
}

static int unknown_symbol(const struct typesrc_symbol *s, const char *reason,
			  struct err *e)
{
	return err_tag(e, "D_IDENT_UNDEF", "failed to resolve %s`%s: %s",
		       s->object ? s->object : "", s->name, reason);
}

static int no_types(const char *object, const char *name, const char *reason,
		    struct err *e)
{
	return err_tag(e, "D_SYM_NOTYPES",
		       "no symbolic type information is available for %s`%s: %s",
		       object ? object : "", name, reason);
}

static int get_symbol(void *ctx, struct types *ts, struct typesrc_symbol *asked,
		      struct err *e)
{
	struct typing *y = ctx;
	struct symbol_search s = {.y = y, .ts = ts, .name = asked->name};
	struct visitor v = {find_symbol, &s, false};
	struct choice c;

	if (!parse_scope(y->t, asked->object, &c))
		return no_types(asked->object, asked->name,
				"no process is traced, or several: name one with -c "
				"or -p",
				e);
	s.exe = exe_of(c.target);
	if (visit_objects(&c, &v) == 0)
		return unknown_symbol(asked, "Unknown module name", e);
	if (!s.type && !s.untyped)
		return unknown_symbol(asked, "Unknown symbol name", e);
	if (!s.type && !s.address)
		return no_types(s.untyped, asked->name, s.why.text, e);
	asked->type = s.type;
	asked->address = s.address;
	asked->why = s.why;
	return 0;
}

/* ---- args[] ---- */

/* One probe of a function, and what is known of its arguments. */
struct arguments {
	struct convert_object *object;
	struct target_function function;
	bool is_return, has_types;
	uint32_t count;
	const struct prov_argument *given; /* by the provider, not by types */
	struct prov_argument call[PROV_CALL_ARGUMENTS];
	const char *why;		   /* there are no types */
};

static struct target *probe_target(const struct tracer *t, const struct probe *p)
{
	const char *text = probes_name(&t->probes, p, PROBE_PROVIDER);
	size_t n = strcspn(text, "0123456789");
	uint64_t pid;

	if ((p->provider != &prov_pid && p->provider != &prov_fpid) ||
	    fmt_parse_u64(text + n, strlen(text + n), 10, &pid))
		return NULL;
	return target_find(t, (int)pid);
}

static struct module *probe_module(const struct tracer *t, const struct probe *p)
{
	const struct target *target = probe_target(t, p);
	const char *name = probes_name(&t->probes, p, PROBE_MODULE);

	for (size_t i = 0; target && target->modules && i < target->modules->len; i++)
		if (strcmp(target->modules->data[i]->name, name) == 0)
			return target->modules->data[i];
	return NULL;
}

/* Clones that compilers make have parameters of their own, and say so nowhere. */
static bool is_clone(const char *function)
{
	return strstr(function, ".isra.") || strstr(function, ".constprop.") ||
	       strstr(function, ".part.");
}

static void keep_first(void *ctx, const struct symbol *sym)
{
	const struct symbol **first = ctx;

	*first = *first ? *first : sym;
}

static void find_in_function(struct typing *y, const struct probe *p,
			     struct arguments *out)
{
	const struct probes *ps = &y->t->probes;
	const char *function = probes_name(ps, p, PROBE_FUNCTION);
	const char *name = probes_name(ps, p, PROBE_NAME);
	struct module *m = probe_module(y->t, p);
	const struct symbol *sym = NULL;
	size_t n = m ? module_select(m, function, keep_first, &sym) : 0;
	bool is_entry = strcmp(name, "entry") == 0;

	out->is_return = strcmp(name, "return") == 0;
	out->has_types = false;
	out->count = 0;
	if (!sym || (!is_entry && !out->is_return)) {
		out->has_types = true; /* it has none, and that is all */
		return;
	}
	out->object = object_of(y, m);
	if (!out->object->types)
		out->why = out->object->why.text;
	else if (is_clone(sym->name))
		out->why = "the compiler changed the parameters of this copy";
	else if (n > 1)
		out->why = "several functions have this name";
	else if (!module_types_function(out->object->types, sym->value, &out->function))
		out->why =
			module_types_is_split(out->object->types)
				? "its types are in .dwo files (-gsplit-dwarf), which "
				  "are not read"
				: "its source file was compiled without -g";
	else
		out->has_types = true;
	if (out->has_types)
		out->count = is_entry		    ? out->function.nparams
			     : out->function.result ? 2
						    : 1;
}

static void find_in_call(struct typing *y, const struct probe *p, struct arguments *out)
{
	const struct probes *ps = &y->t->probes;

	out->given = out->call;
	out->has_types = prov_syscall_arguments(probes_name(ps, p, PROBE_FUNCTION),
						probes_name(ps, p, PROBE_NAME),
						out->call, &out->count);
	if (!out->has_types)
		out->why = "the arguments of this system call are not known";
}

/* An intrinsic type, or a pointer to one in the program's memory. */
static const struct type *given_type(struct types *ts, const char *name)
{
	const struct type *t = type_find(ts, name);
	const char *star = strstr(name, " *");
	char base[32];

	if (t || !star)
		return t;
	snprintf(base, sizeof(base), "%.*s", (int)(star - name), name);
	return type_userland(ts, type_pointer(ts, type_find(ts, base)));
}

static void find_arguments(struct typing *y, const struct probe *p,
			   struct arguments *out)
{
	const char *name = probes_name(&y->t->probes, p, PROBE_NAME);

	out->given = NULL;
	out->has_types = true;
	if (p->provider == &prov_proc)
		out->count = prov_proc_arguments(name, &out->given);
	else if (p->provider == &prov_diag || p->provider == &prov_diag_front)
		out->count = prov_diag_arguments(name, &out->given);
	else if (p->provider == &prov_syscall)
		find_in_call(y, p, out);
	else
		find_in_function(y, p, out);
}

#define RAW_MAX 10 /* arg0 ... arg9 */

/* Where the value is; otherwise why it cannot be had. */
static const char *place_value(enum target_passing passing, uint32_t arg,
			       struct typesrc_argument *out)
{
	switch (passing) {
	case PASSED_ARG:
	case PASSED_ADDRESS:
		out->raw = arg;
		out->is_address = passing == PASSED_ADDRESS;
		return arg < RAW_MAX ? NULL : "it lies beyond arg9";
	case PASSED_VECTOR:
		out->raw = arg;
		out->is_vector = true;
		return NULL;
	case PASSED_WIDE:
		return "it is wider than the 8 bytes of a vector register that are read";
	case PASSED_PIECES:
		return "it is passed in pieces, in registers";
	default:
		return "it is passed by value, on the stack";
	}
}

/* args[n] of one probe; otherwise why it cannot be had. */
static const char *get_argument(struct types *ts, const struct arguments *a, uint32_t n,
				struct typesrc_argument *out)
{
	const struct target_param *p = &a->function.params[n];

	*out = (struct typesrc_argument){.type = ts->t_int};
	if (a->given) {
		out->inlined = a->given[n].inlined;
		out->raw = n;
		if (!out->inlined)
			out->type = given_type(ts, a->given[n].type);
		return NULL;
	}
	if (!a->is_return) {
		out->type = convert_type(a->object, ts, p->type);
		return place_value(p->passing, p->arg, out);
	}
	if (n == 0)
		return NULL;
	out->type = convert_type(a->object, ts, a->function.result);
	return place_value(a->function.result_passing,
			   a->function.result_passing == PASSED_VECTOR ? 0 : 1, out);
}

/* The specifiers of the clause under compilation. */
static const struct trace_spec *next_spec(const struct typing *y, size_t *at)
{
	const struct tracer *t = y->t;

	while (*at < t->specs.len) {
		const struct trace_spec *s = &t->specs.data[(*at)++];

		if (s->clause == t->clause)
			return s;
	}
	return NULL;
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
	       a->is_vector == b->is_vector &&
	       a->inlined == b->inlined && type_is_same(a->type, b->type);
}

/* What the probes looked at so far agree on. */
struct agreement {
	const struct trace_spec *spec;
	uint32_t n;
	struct typesrc_argument *out;
	bool is_any;
};

static int agree(struct typing *y, struct types *ts, const struct probe *p,
		 struct agreement *g, struct err *e)
{
	struct typesrc_argument found;
	struct arguments a = {0};
	const char *why;

	find_arguments(y, p, &a);
	if (a.has_types && g->n >= a.count)
		return g->is_any ? differing(g->spec, e) : bad_index(g->spec, g->n, e);
	why = a.has_types ? get_argument(ts, &a, g->n, &found) : a.why;
	if (why)
		return err_tag(e, "D_ARGS_TYPE",
			       "failed to resolve native type for args[%u] of %s: %s",
			       g->n, probes_name(&y->t->probes, p, PROBE_FUNCTION),
			       why);
	if (g->is_any && !is_same_argument(&found, g->out))
		return differing(g->spec, e);
	g->is_any = true;
	*g->out = found;
	return 0;
}

static int argument(void *ctx, struct types *ts, uint32_t n,
		    struct typesrc_argument *out, struct err *e)
{
	struct typing *y = ctx;
	struct agreement g = {.n = n, .out = out};
	const struct trace_spec *s, *last = NULL;
	size_t at = 0;

	while ((s = next_spec(y, &at))) {
		last = g.spec = s;
		for (size_t i = 0; i < s->ids.len; i++) {
			const struct probe *p =
				probes_get(&y->t->probes, s->ids.data[i]);
			int rc = agree(y, ts, p, &g, e);

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

const char *typing_argument_name(struct typing *y, struct types *ts,
				 const struct probe *p, uint32_t n)
{
	struct typesrc_argument found;
	struct arguments a = {0};

	find_arguments(y, p, &a);
	if (!a.has_types || n >= a.count)
		return NULL;
	if (a.given)
		return a.given[n].type;
	get_argument(ts, &a, n, &found);
	return found.type->name;
}

/* ---- life ---- */

struct typing *typing_new(struct tracer *t)
{
	struct typing *y = oom_calloc(1, sizeof(*y));

	y->t = t;
	y->source = (struct typesrc){.ctx = y,
				     .find = find_type,
				     .complete = complete_type,
				     .symbol = get_symbol,
				     .argument = argument};
	return y;
}

void typing_free(struct typing *y)
{
	if (!y)
		return;
	for (size_t i = 0; i < y->objects.len; i++)
		convert_object_free(y->objects.data[i]);
	vec_release(&y->objects);
	free(y);
}

const struct typesrc *typing_source(const struct typing *y)
{
	return &y->source;
}

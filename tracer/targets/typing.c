/* SPDX-License-Identifier: MIT */
/*
 * Finds the object that a question about a type or symbol concerns. convert.c makes D
 * types from its debug data.
 */
#include "tracer/targets/typing.h"
#include "tracer/targets/convert.h"
#include "tracer/base/core.h"
#include "tracer/output/out.h"
#include "tracer/targets/target.h"
#include "vm/base/fmt.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

#include <stdlib.h>
#include <string.h>

struct typing {
	struct tracer *t;
	typing_argument *argument;
	typing_parameter *parameter;
	typing_local *local;
	struct typesrc source;
	struct {
		struct convert_object **data;
		size_t len, cap;
	} objects; /* asked so far */
};

/* ---- objects ---- */

static void report_fetch(const struct typing *y, const struct convert_object *o)
{
	uint64_t ns = module_types_fetch_ns(o->types);

	if (ns)
		out_notice(y->t->out,
			   "debuginfod fetched the debugging data of '%s' in %.1f s",
			   o->name, (double)ns / 1e9);
}

struct convert_object *typing_object(struct typing *y, const struct module *m)
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
	else
		report_fetch(y, o);
	*vec_push(&y->objects) = o;
	return o;
}

bool typing_inlined(struct typing *y, const struct module *m, const char *name,
		    bool in_full, struct target_inlined *out)
{
	struct convert_object *o;

	if (m->is_vdso || (!in_full && !module_has_types(m)))
		return false;
	o = typing_object(y, m);
	if (!o->types)
		return false;
	module_types_inlined(o->types, name, out);
	return out->ncopies > 0;
}

/* The objects that a name selects with its part before the last backquote. */
struct choice {
	struct target *target;
	const char *object; /* NULL: all */
};

/* The target of -c or -p, or the only one. */
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
	/* objects that were loaded first have the highest addresses */
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

/* True ends the search; if an object only declares the type, it goes on. */
static bool find_in_object(void *ctx, struct module *m)
{
	struct type_search *s = ctx;
	struct convert_object *o = typing_object(s->y, m);
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
	const char *untyped; /* an object that has the name without a type, ... */
	struct err why;	     /* ... and why */
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
	struct convert_object *o = typing_object(s->y, m);
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
		return unknown_symbol(asked, "Unknown symbol name", e);
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

static int get_argument(void *ctx, struct types *ts, uint32_t n,
			struct typesrc_argument *out, struct err *e)
{
	struct typing *y = ctx;

	return y->argument(y->t, ts, n, out, e);
}

/* ---- life ---- */

static bool get_parameter(void *ctx, const char *name, uint32_t *n)
{
	const struct typing *y = ctx;

	return y->parameter(y->t, name, n);
}

static int get_local(void *ctx, struct types *ts, const char *name,
		     struct typesrc_local *out, struct err *e)
{
	const struct typing *y = ctx;

	return y->local(y->t, ts, name, out, e);
}

struct typing *typing_new(struct tracer *t, typing_argument *argument,
			  typing_parameter *parameter, typing_local *local)
{
	struct typing *y = oom_calloc(1, sizeof(*y));

	y->t = t;
	y->argument = argument;
	y->parameter = parameter;
	y->local = local;
	y->source = (struct typesrc){.ctx = y,
				     .find = find_type,
				     .complete = complete_type,
				     .symbol = get_symbol,
				     .argument = get_argument,
				     .parameter = get_parameter,
				     .local = get_local};
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

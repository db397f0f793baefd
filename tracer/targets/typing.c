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
#include "vm/base/host/strbuf.h"
#include "vm/base/host/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct typing {
	struct tracer *t;
	struct typing_clause clause;
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
	char object[256]; /* empty: all */
	const char *file; /* that declares it, the end of the path; NULL: any */
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

static void note_module(void *ctx, struct module *m)
{
	struct module **found = ctx;

	*found = m;
}

/* "object`file", or one of both: an object if the target has one of that name. */
static void parse_object(const char *text, struct choice *c)
{
	const char *tick = strchr(text, '`');
	struct module *found = NULL;

	snprintf(c->object, sizeof(c->object), "%.*s", (int)strcspn(text, "`"), text);
	if (tick)
		c->file = tick + 1;
	else if (c->target && c->target->modules && strchr(text, '.') &&
		 !modules_select(c->target->modules, text, note_module, &found)) {
		c->object[0] = '\0';
		c->file = text;
	}
}

/* "pid", "pid123", or either with a backquote and an object; else an object. */
static bool parse_scope(const struct tracer *t, const char *scope, struct choice *c)
{
	size_t n = strcspn(scope ? scope : "", "`");
	uint64_t pid;

	*c = (struct choice){.target = default_target(t)};
	if (!scope)
		return c->target != NULL;
	if (strncmp(scope, "pid", 3) == 0 &&
	    (n == 3 ||
	     (fmt_parse_u64(scope + 3, n - 3, 10, &pid) == 0 && pid <= INT32_MAX))) {
		if (n > 3)
			c->target = target_find(t, (int)pid);
		scope = scope[n] ? scope + n + 1 : "";
	}
	if (*scope)
		parse_object(scope, c);
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

static bool take_first(void *ctx, struct module *m, uint64_t value)
{
	struct module **first = ctx;

	(void)value;
	*first = m;
	return false;
}

/* The object that the clause probes, then the program, then the others. */
static size_t visit_objects(const struct typing *y, const struct choice *c,
			    struct visitor *v)
{
	const struct modules *ms = c->target->modules;
	struct module *own = NULL;

	if (!ms)
		return 0;
	if (c->object[0])
		return modules_select(ms, c->object, visit_module, v);
	y->clause.functions(y->t, take_first, &own);
	if (own)
		visit_module(v, own);
	for (size_t i = 0; i < ms->len; i++)
		if (ms->data[i]->is_exe)
			visit_module(v, ms->data[i]);
	/* objects that were loaded first have the highest addresses */
	for (size_t i = ms->len; i-- > 0;)
		if (!ms->data[i]->is_exe && !ms->data[i]->is_vdso)
			visit_module(v, ms->data[i]);
	return ms->len;
}

/* ---- names ---- */

/* A name in one object after the other. */
struct name_search {
	struct typing *y;
	const struct module *module; /* that is searched */
	struct target_search asked;
	struct {
		uint64_t *data;
		size_t len, cap;
	} functions;	    /* values, of the clause in the module */
	const char *before; /* of each candidate that is shown: "struct pid`" */
	struct strbuf shown;
	size_t nshown;
};

static bool add_function(void *ctx, struct module *m, uint64_t value)
{
	struct name_search *s = ctx;

	if (m == s->module)
		*vec_push(&s->functions) = value;
	return true;
}

static const uint64_t *find_functions(void *ctx, size_t *n)
{
	struct name_search *s = ctx;

	s->functions.len = 0;
	s->y->clause.functions(s->y->t, add_function, s);
	*n = s->functions.len;
	return s->functions.data;
}

static void show_candidate(void *ctx, const char *text)
{
	struct name_search *s = ctx;

	strbuf_printf(&s->shown, "%s%s%.120s", s->nshown++ ? " or " : "", s->before,
		      text);
}

static void name_search_init(struct name_search *s, struct typing *y, const char *file)
{
	*s = (struct name_search){.y = y};
	s->asked = (struct target_search){.file = file,
					  .functions = find_functions,
					  .candidate = show_candidate,
					  .ctx = s};
}

static void name_search_release(struct name_search *s)
{
	vec_release(&s->functions);
	strbuf_release(&s->shown);
}

/* ---- types ---- */

struct type_search {
	struct name_search name;
	struct convert_object *object;
	uint64_t ref;
	bool is_ambiguous;
};

/* True ends the search; if an object only declares the type, it goes on. */
static bool find_in_object(void *ctx, struct module *m)
{
	struct type_search *s = ctx;
	struct convert_object *o = typing_object(s->name.y, m);
	struct target_type what;
	uint64_t ref;
	int rc;

	s->name.module = m;
	rc = o->types ? module_types_find(o->types, &s->name.asked, &ref)
		      : STATUS_NOENT;
	s->is_ambiguous = rc == STATUS_AMBIGUOUS;
	if (rc)
		return s->is_ambiguous;
	module_types_get(o->types, ref, &what);
	if (!s->ref || what.is_complete) {
		s->object = o;
		s->ref = ref;
	}
	return what.is_complete;
}

/* Returns the word of a tag, with its blank, or "". */
static const char *parse_kind(const char *name, struct target_search *s)
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

	const char *word = "";

	s->kind = TARGET_ALIAS;
	s->name = name;
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		size_t n = strlen(words[i].word);

		if (strncmp(name, words[i].word, n) != 0)
			continue;
		s->kind = words[i].kind;
		s->name = name + n;
		word = words[i].word;
	}
	return word;
}

static const struct type *find_type(void *ctx, struct types *ts, const char *object,
				    const char *name, struct err *e)
{
	struct typing *y = ctx;
	struct type_search s = {0};
	struct visitor v = {find_in_object, &s, false};
	const struct type *found = NULL;
	struct choice c;
	char before[32];

	if (!parse_scope(y->t, object, &c))
		return NULL;
	name_search_init(&s.name, y, c.file);
	snprintf(before, sizeof(before), "%spid`", parse_kind(name, &s.name.asked));
	s.name.before = before;
	visit_objects(y, &c, &v);
	if (s.is_ambiguous)
		err_tag(e, "D_IDENT_AMBIG",
			"failed to resolve %s: several types have this name: say %s",
			name, s.name.shown.data);
	else if (s.ref)
		found = convert_type(s.object, ts, s.ref);
	name_search_release(&s.name);
	return found;
}

/* A struct that its own object only declares may be defined in another. */
static bool complete_type(void *ctx, struct types *ts, struct type *t)
{
	struct typing *y = ctx;
	struct type_search s = {0};
	struct visitor v = {find_in_object, &s, false};
	struct strbuf path = {0};
	struct choice c;
	bool is_found = false;

	if (convert_complete(ts, t))
		return true;
	if (convert_path(t, &path) && parse_scope(y->t, NULL, &c)) {
		name_search_init(&s.name, y, NULL);
		parse_kind(t->name, &s.name.asked);
		s.name.asked.name = path.data;
		s.name.asked.is_exact = true;
		s.name.asked.candidate = NULL;
		visit_objects(y, &c, &v);
		is_found = v.is_done && !s.is_ambiguous &&
			   convert_complete_from(s.object, ts, s.ref, t);
		name_search_release(&s.name);
	}
	strbuf_release(&path);
	return is_found;
}

static bool is_same_type(void *ctx, const struct type *a, const struct type *b)
{
	(void)ctx;
	return convert_is_same(a, b);
}

/* ---- variables and functions ---- */

struct symbol_search {
	struct name_search name;
	const struct module *exe;
	struct types *ts;
	const struct type *type;
	uint64_t address;
	bool is_ambiguous;
	const char *untyped; /* an object that has the name without a type, ... */
	struct err why;	     /* ... and why */
};

static bool find_function(struct symbol_search *s, struct module *m)
{
	const struct symbol *sym;
	struct err ignored;

	if (module_load_symbols(m, &ignored))
		return false;
	sym = module_find(m, s->name.asked.name);
	if (!sym)
		return false;
	s->type = s->ts->t_func;
	s->address = module_address(m, sym->value).v;
	return true;
}

static bool find_symbol(void *ctx, struct module *m)
{
	struct symbol_search *s = ctx;
	struct convert_object *o = typing_object(s->name.y, m);
	const char *name = s->name.asked.name;
	struct err why = o->why;
	uint64_t ref, value;
	taddr any;
	int rc = STATUS_NOENT;

	s->name.module = m;
	s->name.before = m->is_exe ? "a.out`" : "pid`";
	if (o->types)
		rc = module_types_variable(o->types, &s->name.asked, &ref, &value,
					   &why);
	s->is_ambiguous = rc == STATUS_AMBIGUOUS;
	if (s->is_ambiguous)
		return true;
	if (rc == 0) {
		s->type = convert_type(o, s->ts, ref);
		if (!s->exe || !module_variable_moved(s->exe, m, name, value, &any))
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
	} else if (module_lookup_any(m, name, &any) == 0) {
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

static int answer_symbol(const struct symbol_search *s, struct typesrc_symbol *asked,
			 struct err *e)
{
	if (s->is_ambiguous)
		return err_tag(e, "D_IDENT_AMBIG",
			       "failed to resolve %s`%s: several variables have this "
			       "name: say %s",
			       asked->object ? asked->object : "", asked->name,
			       s->name.shown.data);
	if (!s->type && !s->untyped)
		return unknown_symbol(asked, "Unknown symbol name", e);
	if (!s->type && !s->address)
		return no_types(s->untyped, asked->name, s->why.text, e);
	asked->type = s->type;
	asked->address = s->address;
	asked->why = s->why;
	return 0;
}

static int get_symbol(void *ctx, struct types *ts, struct typesrc_symbol *asked,
		      struct err *e)
{
	struct typing *y = ctx;
	struct symbol_search s = {.ts = ts};
	struct visitor v = {find_symbol, &s, false};
	struct choice c;
	int rc;

	if (!parse_scope(y->t, asked->object, &c))
		return unknown_symbol(asked, "Unknown symbol name", e);
	name_search_init(&s.name, y, c.file);
	s.name.asked.name = asked->name;
	s.exe = exe_of(c.target);
	if (visit_objects(y, &c, &v) == 0)
		rc = unknown_symbol(asked, "Unknown module name", e);
	else
		rc = answer_symbol(&s, asked, e);
	name_search_release(&s.name);
	return rc;
}

static int get_argument(void *ctx, struct types *ts, uint32_t n,
			struct typesrc_argument *out, struct err *e)
{
	struct typing *y = ctx;

	return y->clause.argument(y->t, ts, n, out, e);
}

/* ---- life ---- */

static bool get_parameter(void *ctx, const char *name, uint32_t *n)
{
	const struct typing *y = ctx;

	return y->clause.parameter(y->t, name, n);
}

static int get_local(void *ctx, struct types *ts, const char *name,
		     struct typesrc_local *out, struct err *e)
{
	const struct typing *y = ctx;

	return y->clause.local(y->t, ts, name, out, e);
}

struct typing *typing_new(struct tracer *t, const struct typing_clause *clause)
{
	struct typing *y = oom_calloc(1, sizeof(*y));

	y->t = t;
	y->clause = *clause;
	y->source = (struct typesrc){.ctx = y,
				     .find = find_type,
				     .complete = complete_type,
				     .same = is_same_type,
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

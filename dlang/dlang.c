/* SPDX-License-Identifier: MIT */
/*
 * The driver: creates the state of a run, and runs the passes over each external
 * declaration, in this order:
 *
 *	parse -> [declaration] check
 *	      -> [clause] env.probe() for each description, check, generate
 *
 * Declarations, clauses and programs are handled strictly in order, so each sees what
 * came before. After a syntax error nothing is checked. After any error no code is
 * generated, but the remaining clauses are checked.
 */
#include "dlang/dlang.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "dlang/base/diag.h"
#include "dlang/check/check.h"
#include "dlang/gen/gen.h"
#include "dlang/gen/image.h"
#include "dlang/internal.h"
#include "dlang/parse/parse.h"
#include "vm/base/host/oom.h"

struct dlang *dlang_new(const struct dlang_env *env)
{
	struct dlang *d = oom_calloc(1, sizeof(*d));

	d->env = *env;
	lex_init(d);
	d->checker = checker_new(d);
	d->image = arena_alloc(&d->arena, sizeof(*d->image));
	image_init(d->image);
	return d;
}

void dlang_free(struct dlang *d)
{
	if (!d)
		return;
	image_release(d->image);
	checker_free(d->checker);
	lex_release(d);
	strbuf_release(&d->trees);
	strbuf_release(&d->unsettled);
	arena_release(&d->arena);
	free(d);
}

struct types *dlang_types(struct dlang *d)
{
	return types_of(d);
}

struct dlang_options *dlang_options(struct dlang *d)
{
	return &d->options;
}

/* ---- one program ---- */

/* The passes, in order. */
enum pass {
	PASS_TOKENS,
	PASS_TREE,
	PASS_TYPED,
	PASS_CODE,
};

struct run {
	struct dlang *d;
	struct parser parser;
	enum pass last;
	struct strbuf *dump; /* NULL: compile only */
	bool any;	     /* the program has a declaration or clause */
};

/* Whether the description was written with $target. */
static bool names_target(const struct dlang *d, const struct ast_probe *p)
{
	static const char name[] = "$target";
	const char *from = d->src->text + p->pos.offset;
	const char *end = from + strcspn(from, "{/,;\n"), *at = strstr(from, name);

	return at && at < end;
}

/* Enables the clause on the probes of each description. False: one has none. */
static bool enable_probes(struct dlang *d, const struct ast_clause *c)
{
	bool is_good = true;

	for (const struct ast_probe *p = c->probes; p; p = p->next) {
		struct dlang_probe_desc desc = {
			.field = {p->field[0], p->field[1], p->field[2], p->field[3]},
			.id = p->id,
		};
		struct err e = {0};
		int rc = d->env.probe ? d->env.probe(d->env.ctx, c->index, &desc, &e)
				      : 0;

		if (rc == DLANG_UNSETTLED)
			diag_unsettled(d, &p->pos, &e);
		else if (rc && strcmp(e.tag, "D_PROC_BADPID") == 0 &&
			 names_target(d, p))
			diag_hint(d, "$target is the process of -c or -p");
		if (rc && rc != DLANG_UNSETTLED)
			diag_err(d, &p->pos, &e);
		is_good = is_good && (rc == 0 || rc == DLANG_UNSETTLED);
	}
	return is_good;
}

static bool wants_tree(const struct run *r)
{
	return r->dump && (r->last == PASS_TREE || r->last == PASS_TYPED);
}

/* Dumps for the option tree. */
static void keep_tree(struct run *r, enum dlang_tree what, const struct ast_clause *c)
{
	if (r->d->options.tree & (uint32_t)what)
		dump_clause(c, what == DLANG_TREE_CHECKED, &r->d->trees);
}

static void run_clause(struct run *r, struct ast_clause *c)
{
	struct dlang *d = r->d;
	bool is_good;

	c->index = d->nclauses++;
	keep_tree(r, DLANG_TREE_PARSED, c);
	if (r->last >= PASS_TYPED) {
		/* Without probes args[] and the like have no meaning. */
		d->diag.is_muted = !enable_probes(d, c);
		is_good = check_clause(d, c) == 0 && diag_count(d) == 0 &&
			  check_processes(d, c) == 0;
		d->diag.is_muted = false;
		d->diag.part = DIAG_PLAIN;
		if (is_good && r->last >= PASS_CODE && !diag_has_late(d))
			is_good = gen_clause(d, c) == 0 && diag_count(d) == 0;
		d->diag.part = DIAG_PLAIN;
		keep_tree(r, DLANG_TREE_CHECKED, c);
		if (r->dump && r->last == PASS_CODE && is_good)
			dump_code(d, c, r->dump);
		if (d->options.tree & DLANG_TREE_CODE && is_good)
			dump_code(d, c, &d->trees);
	}
	if (wants_tree(r))
		dump_clause(c, r->last == PASS_TYPED, r->dump);
}

static void run_inline(struct run *r, struct ast_inline *def)
{
	if (r->last >= PASS_TYPED)
		check_inline(r->d, def);
	if (wants_tree(r))
		dump_inline(def, r->last == PASS_TYPED, r->dump);
}

static void run_decl(struct run *r, struct ast_decl *decl)
{
	if (r->last >= PASS_TYPED)
		check_decl(r->d, decl);
	if (wants_tree(r))
		dump_decl(decl, r->last == PASS_TYPED, r->dump);
}

/*
 * After a syntax error nothing is checked: the declarations of the bad part are
 * missing, so most further errors would be consequences of it.
 */
static void run_externals(struct run *r)
{
	struct external x;

	while (diag_count(r->d) < DIAG_MAX) {
		x = parse_external(&r->parser);
		if (x.kind == EXTERNAL_END)
			return;
		r->any = true;
		if (r->parser.has_errors)
			continue;
		if (x.kind == EXTERNAL_CLAUSE && r->d->src->library)
			diag(r->d, &x.clause->pos, "D_SYNTAX",
			     "a library may not enable probes: move the clause to a "
			     "program");
		else if (x.kind == EXTERNAL_CLAUSE)
			for (; x.clause; x.clause = x.clause->next)
				run_clause(r, x.clause);
		else if (x.kind == EXTERNAL_DECL)
			run_decl(r, x.decl);
		else if (x.kind == EXTERNAL_INLINE)
			run_inline(r, x.inlined);
		else if (x.kind == EXTERNAL_TRANSLATOR && r->last >= PASS_TYPED)
			check_translator(r->d, x.translator);
		else if (x.kind == EXTERNAL_PROVIDER && r->last >= PASS_TYPED)
			check_provider(r->d, x.provider);
	}
}

/* Checks that need the whole program. */
static void run_end(struct run *r)
{
	struct dlang *d = r->d;
	struct lexer *lx = &r->parser.lex;
	struct ast_pos pos = lex_pos(lx, lx->p);

	if (diag_count(d) || (r->last >= PASS_TYPED && check_agg_uses(d)))
		return;
	if (d->src->library)
		return;
	if (!r->any && !d->options.empty)
		diag(d, d->src->is_file ? &pos : NULL, "D_EMPTY",
		     "empty D program translation unit");
	else
		parse_check_operands(&r->parser);
	diag_flush(d);
}

static int run_unit(struct run *r, const struct dlang_source *src,
		    struct strbuf *messages)
{
	static const struct lex_names names = {
		.is_scoped_type = check_is_scoped_type,
		.is_target_type = check_is_target_type,
		.is_defined_tag = check_is_defined_tag,
		.attributes = check_pragma_attributes,
		.provider_attributes = check_pragma_provider,
		.binding = check_pragma_binding,
	};
	struct dlang *d = r->d;

	d->src = src;
	d->diag = (struct diag_state){.messages = messages};
	d->nunits++;
	strbuf_reset(&d->trees);
	check_begin_unit(d);
	parse_begin(&r->parser, d, &names, r->last == PASS_TOKENS ? r->dump : NULL);
	run_externals(r);
	run_end(r);
	check_pragmas_used(d);
	d->src = NULL;
	d->diag.messages = NULL;
	return diag_count(d) ? STATUS_SYNTAX : 0;
}

/* Each name of the standard library's text has one of these in it; types of args[] can
 * need it as well. */
static bool names_standard(const char *text)
{
	static const char words[][12] = {
		"psinfo",   "timestruc", "args",     "fds",	"curcpu",   "cpuinfo",
		"fileinfo", "curthread", "zonename", "bufinfo", "devinfo",  "tcp_state",
		"pktinfo",  "csinfo",	 "ipinfo",   "tcpinfo", "tcpsinfo", "tcplsinfo",
		"udpinfo",  "udpsinfo",	 "ifinfo"};

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (strstr(text, words[i]))
			return true;
	return false;
}

/* Whether the program may name the standard library, itself or by an operand. */
static bool needs_standard(const struct dlang *d, const char *text)
{
	bool needs = names_standard(text);

	for (int i = 0; i < d->options.argc && !needs; i++)
		needs = names_standard(d->options.argv[i]);
	return needs;
}

/*
 * Compiles the standard library, once. Neither an earlier version of the language nor
 * the option amin hides the names that it is made of.
 */
static void load_standard(struct dlang *d)
{
	static const struct dlang_source src = {
		.text = dlang_standard_text,
		.name = "",
		.library = "standard library",
	};
	struct run r = {.d = d, .last = PASS_CODE};
	uint32_t version = d->options.version;
	struct strbuf messages = {0};
	int rc;

	d->has_standard = true;
	d->options.version = 0;
	stability_hide_begin(d);
	rc = run_unit(&r, &src, &messages);
	stability_hide_end(d);
	d->options.version = version;
	assert(rc == 0);
	strbuf_release(&messages);
}

static int run_program(struct run *r, const struct dlang_source *src,
		       struct strbuf *messages)
{
	struct dlang *d = r->d;

	if (!d->options.nolibs && !d->has_standard && needs_standard(d, src->text))
		load_standard(d);
	return run_unit(r, src, messages);
}

int dlang_compile(struct dlang *d, const struct dlang_source *src,
		  struct dlang_program *out, struct strbuf *messages)
{
	struct run r = {.d = d, .last = PASS_CODE};
	int status;

	out->first_clause = d->nclauses;
	status = run_program(&r, src, messages);
	out->nclauses = d->nclauses - out->first_clause;
	return status;
}

const char *dlang_trees(const struct dlang *d)
{
	return d->trees.data ? d->trees.data : "";
}

const struct strbuf *dlang_unsettled(const struct dlang *d)
{
	return &d->unsettled;
}

int dlang_link(struct dlang *d, void **image, size_t *size, struct err *e)
{
	return gen_link(d, image, size, e);
}

/* ---- dumps ---- */

static bool find_pass(const char *what, enum pass *pass)
{
	static const char *const names[] = {"tokens", "tree", "typed", "code"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (strcmp(what, names[i]) == 0) {
			*pass = (enum pass)i;
			return true;
		}
	}
	return false;
}

int dlang_dump(struct dlang *d, const struct dlang_source *src, const char *what,
	       struct strbuf *out)
{
	struct run r = {.d = d, .dump = out};
	struct strbuf messages = {0};
	int status;

	if (!find_pass(what, &r.last))
		return STATUS_INVAL;
	status = run_program(&r, src, &messages);
	for (const char *m = dlang_message(&messages, NULL); m;
	     m = dlang_message(&messages, m)) {
		strbuf_puts(out, m);
		strbuf_putc(out, '\n');
	}
	strbuf_release(&messages);
	return status;
}

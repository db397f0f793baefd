/* SPDX-License-Identifier: MIT */
#include "tracer/recording/write/clauses.h"
#include "dlang/dlang.h"
#include "vm/base/host/oom.h"
#include "vm/isa.h"
#include "vm/program.h"

#include <stdlib.h>
#include <string.h>

static bool takes_stack(insn_t i)
{
	uint32_t what = (uint32_t)isa_imm(i);

	if (isa_op(i) == OP_CALL)
		return what == SUBR_stack || what == SUBR_ustack || what == SUBR_jstack;
	return isa_op(i) == OP_BI &&
	       (what == BUILTIN_ucaller || what == BUILTIN_caller ||
		what == BUILTIN_ustackdepth || what == BUILTIN_stackdepth);
}

static bool is_stack(const struct program_field *f)
{
	return f->show == SHOW_STACK || f->show == SHOW_USTACK ||
	       f->show == SHOW_JSTACK;
}

/* What the clauses of the program do, as the image so far has it. */
static void look_at(struct recorder_clauses *c, const struct tracer *t,
		    const void *image)
{
	const insn_t *code = program_section(image, SECTION_CODE);
	uint64_t most = 0;

	c->count = program_count(image, SECTION_CLAUSE);
	c->takes_stack = oom_calloc(c->count + (size_t)1, sizeof(*c->takes_stack));
	for (uint32_t i = 0; i < c->count; i++) {
		const struct program_clause *clause = program_clause(image, i);

		for (uint32_t k = 0; k < clause->count; k++)
			c->takes_stack[i] |= takes_stack(code[clause->first + k]);
		if (c->takes_stack[i])
			most = max_u64(most, t->options.ustackframes);
	}
	for (uint32_t i = 0; i < program_count(image, SECTION_FIELD); i++) {
		const struct program_field *f = program_field(image, i);

		if (is_stack(f))
			most = max_u64(most, f->size / 8 - 1);
	}
	c->frames = (uint32_t)min_u64(most, PROGRAM_FRAMES_MAX);
}

/* probes.recorder: BEGIN, END and the like are those of each run. */
static uint32_t clause_for(void *ctx, const struct probe *p)
{
	const struct recorder_clauses *c = ctx;
	bool wants = false;

	if (!p->provider || strcmp(p->provider->name, "dtrace") == 0 ||
	    strcmp(p->provider->name, "diag") == 0 ||
	    provider_source(c->t, p).by == SOURCE_EVENT)
		return PROBES_NO_CLAUSE;
	for (size_t i = 0; i < p->nenablings; i++) {
		uint32_t clause = probe_enablings(p)[i].clause;

		if (clause == c->number[0] || clause == c->number[1])
			return clause;
		wants |= clause < c->count && c->takes_stack[clause];
	}
	return c->number[wants];
}

static int compile(struct recorder_clauses *c, struct dlang *d, struct strbuf *messages)
{
	struct dlang_source src = {
		.name = "recording", .arg0 = "recording", .spec = DLANG_SPEC_NAME};
	struct dlang_program compiled;
	struct strbuf text = {0};
	int rc;

	/* BEGIN is in the place of all probes: it is never enabled. */
	strbuf_printf(
		&text,
		"BEGIN { trace(record_data(0)); } BEGIN { trace(record_data(%u)); }",
		c->frames);
	src.text = text.data;
	c->is_compiling = true;
	rc = dlang_compile(d, &src, &compiled, messages);
	c->is_compiling = false;
	c->number[0] = compiled.first_clause;
	c->number[1] = compiled.first_clause + 1;
	strbuf_release(&text);
	return rc;
}

int recorder_clauses_compile(struct recorder_clauses *c, struct tracer *t,
			     struct strbuf *messages)
{
	void *image;
	size_t size;
	struct err e;
	int rc = dlang_link(t->dlang, &image, &size, &e);

	if (rc)
		return 0; /* it is linked again, and refused */
	c->t = t;
	look_at(c, t, image);
	free(image);
	rc = compile(c, t->dlang, messages);
	if (rc)
		return rc;
	t->probes.recorder = clause_for;
	t->probes.recorder_ctx = c;
	for (uint32_t id = 1; id <= t->probes.table.len; id++)
		if (probes_get(&t->probes, id)->nenablings > 0)
			probes_record(&t->probes, id);
	return 0;
}

void recorder_clauses_release(struct recorder_clauses *c)
{
	free(c->takes_stack);
	c->takes_stack = NULL;
}

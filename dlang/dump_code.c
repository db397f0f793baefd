/* SPDX-License-Identifier: MIT */
#include "dlang/internal.h"

#include "dlang/gen/code.h"

static void print_contexts(uint32_t contexts, struct strbuf *out)
{
	static const struct {
		enum exec_context context;
		const char *name;
	} names[] = {
		{CONTEXT_FRONT, " front"},
		{CONTEXT_KEEPER, " keeper"},
		{CONTEXT_RESIDENT, " resident"},
	};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (contexts & (uint32_t)names[i].context)
			strbuf_puts(out, names[i].name);
}

/* Lines such as "  3: ADD r0 r0 r1", and "action 1:" before each statement. */
void dump_code(struct dlang *d, const struct ast_clause *c, struct strbuf *out)
{
	const struct image *img = d->image;
	const struct program_clause *p;
	uint32_t stmt = 0;

	if (c->index >= img->clauses.len)
		return;
	p = &img->clauses.data[c->index];
	strbuf_printf(out, "clause %u:", c->index);
	print_contexts(p->contexts, out);
	strbuf_puts(out, p->flags & CLAUSE_RECORDS ? ", records\n" : "\n");
	for (uint32_t i = 0; i < p->count; i++) {
		while (stmt < p->nstmts &&
		       img->stmts.data[p->stmt + stmt].first == p->first + i)
			strbuf_printf(out, "action %u:\n",
				      img->stmts.data[p->stmt + stmt++].action);
		strbuf_printf(out, "%4u: ", i);
		code_print(img, p->first + i, out);
		strbuf_putc(out, '\n');
	}
}

/* SPDX-License-Identifier: MIT */
/*
 * A string of a traced process is part of a command: whoever controls the process may
 * write what the shell runs.
 */
#include "tracer/output/format.h"
#include "tracer/output/out.h"
#include "tracer/trace.h"
#include "tracer/trust/literals.h"
#include "vm/isa.h"

#include <stdlib.h>

/* Whether a %s of the command takes a value that is no literal. */
static bool has_bare_string(const char *text, uint64_t literals)
{
	struct format f;
	uint32_t field = 0;
	bool is_found = false;

	format_init(&f, text);
	for (size_t i = 0; i < f.items.len && !is_found; i++) {
		const struct format_item *item = &f.items.data[i];

		if (!item->letter)
			continue;
		field += (uint32_t)item->has_width_arg +
			 (uint32_t)item->has_precision_arg;
		is_found = (item->letter == 's' || item->letter == 'S') &&
			   (field >= 64 || !(literals >> field & 1));
		field++;
	}
	format_release(&f);
	return is_found;
}

static bool hands_string_to_shell(const void *image, uint32_t clause,
				  const uint64_t *literals)
{
	const insn_t *code = program_section(image, SECTION_CODE);
	const struct program_clause *c = program_clause(image, clause);

	for (uint32_t i = c->first; i < c->first + c->count; i++) {
		uint32_t action = (uint32_t)isa_imm(code[i]);
		const struct program_action *a;

		if (isa_op(code[i]) != OP_REC)
			continue;
		a = program_action(image, action);
		if (a->kind == ACTION_system &&
		    has_bare_string(program_string(image, a->text), literals[action]))
			return true;
	}
	return false;
}

/* ERROR fires where a clause faults. */
static bool fires_in_target(const struct tracer *t, const struct probe *p)
{
	if (p->id == PROBE_ERROR)
		return t->targets.len > 0;
	return provider_source(t, p).by == SOURCE_EVENT ||
	       (p->provider->contexts != CONTEXT_FRONT &&
		provider_source(t, p).by != SOURCE_CLOCK);
}

static bool does_any(const struct tracer *t, const uint64_t *literals)
{
	for (size_t i = 0; i < t->probes.table.len; i++) {
		const struct probe *p = &t->probes.table.data[i];

		for (size_t k = 0; k < p->nenablings; k++)
			if (fires_in_target(t, p) &&
			    hands_string_to_shell(
				    t->image, probe_enablings(p)[k].clause, literals))
				return true;
	}
	return false;
}

static bool has_system(const void *image)
{
	for (uint32_t i = 0; i < program_count(image, SECTION_ACTION); i++)
		if (program_action(image, i)->kind == ACTION_system)
			return true;
	return false;
}

void trace_note_shell(const struct tracer *t)
{
	uint64_t *literals;

	if (!has_system(t->image))
		return;
	literals = literals_new(t->image);
	if (does_any(t, literals))
		out_notice(
			t->out,
			"system() gets strings of a process by %%s, and the shell runs "
			"commands that they contain: %%q quotes a string for the "
			"shell");
	free(literals);
}

/* SPDX-License-Identifier: MIT */
#include "tracer/events/demands.h"
#include "tracer/events/mapping_event.h"
#include "vm/isa.h"
#include "vm/program.h"

#include <string.h>

/* Of either side. */
static bool takes_stack(insn_t i)
{
	uint32_t what = (uint32_t)isa_imm(i);

	if (isa_op(i) == OP_CALL)
		return what == SUBR_stack || what == SUBR_ustack || what == SUBR_jstack;
	return isa_op(i) == OP_BI &&
	       (what == BUILTIN_stackdepth || what == BUILTIN_ustackdepth ||
		what == BUILTIN_caller || what == BUILTIN_ucaller);
}

/* What /proc has, which forgets a process when it ends: variables, descriptors. */
static bool asks_proc(insn_t i)
{
	uint32_t what = (uint32_t)isa_imm(i);

	if (isa_op(i) == OP_CALL)
		return what == SUBR_fd_text || what == SUBR_fd_number;
	return isa_op(i) == OP_BI &&
	       (what == BUILTIN_ppid || what == BUILTIN_uid || what == BUILTIN_gid ||
		(what >= BUILTIN_cwd && what <= BUILTIN_curlwpsinfo_onpro));
}

static bool any_insn(const struct tracer *t, bool (*is)(insn_t i))
{
	const insn_t *code = program_section(t->image, SECTION_CODE);

	for (uint32_t i = 0; i < program_count(t->image, SECTION_CODE); i++)
		if (is(code[i]))
			return true;
	return false;
}

static bool any_reads(const struct tracer *t)
{
	uint32_t n = program_count(t->image, SECTION_CLAUSE);

	for (uint32_t i = 0; i < n; i++)
		if (program_reads_target(t->image, program_clause(t->image, i)))
			return true;
	return false;
}

/* Whether an event of the system fires a probe. */
static bool has_system(const struct tracer *t, const char *system)
{
	for (size_t i = 0; i < t->probes.table.len; i++) {
		const struct probe *p = &t->probes.table.data[i];
		const struct provider_source source = provider_source(t, p);

		if (p->nenablings > 0 && source.by == SOURCE_EVENT &&
		    source.kernel.system && strcmp(source.kernel.system, system) == 0)
			return true;
	}
	return false;
}

bool demands_stacks(const struct tracer *t)
{
	return any_insn(t, takes_stack);
}

bool demands_processes(const struct tracer *t)
{
	/* pointers in other events are the kernel's */
	bool has_calls = has_system(t, "syscalls") || has_system(t, "raw_syscalls");

	return any_insn(t, asks_proc) || (has_calls && any_reads(t));
}

bool demands_mappings(const struct tracer *t)
{
	return has_system(t, MAPPING_SYSTEM);
}

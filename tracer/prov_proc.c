/* SPDX-License-Identifier: MIT */
/*
 * The proc provider: what happens to the traced processes as such. The keeper sees
 * it in the stops that it gets anyway (exec and exec-failure: at system calls; exit
 * and lwp-exit: at ends of threads), and fires.
 */
#include "symbols/symbols.h"
#include "tracer/provider.h"
#include "tracer/trace.h"
#include "vm/base/host/glob.h"

#include <stdio.h>
#include <string.h>

static const char *const names[] = {
#define PROC_NAME(name, text) [KEEPER_PROC_##name] = text,
	KEEPER_PROCS(PROC_NAME)
#undef PROC_NAME
};

uint64_t prov_proc_number(const char *name)
{
	uint64_t i = 0;

	while (i < ARRAY_LEN(names) && strcmp(names[i], name) != 0)
		i++;
	return i;
}

static const struct prov_argument child[] = {{"psinfo_t *", "proc_child"}},
				  path[] = {{"string", "proc_path"}},
				  number[] = {{"int", NULL}},
				  fault[] = {{"int", NULL},
					     {"siginfo_t *", "proc_siginfo"}},
				  thread[] = {{"lwpsinfo_t *", "proc_lwp"},
					      {"psinfo_t *", "curpsinfo"}},
				  sent[] = {{"lwpsinfo_t *", "curlwpsinfo"},
					    {"psinfo_t *", "curpsinfo"},
					    {"int", NULL}},
				  handled[] = {{"int", NULL},
					       {"uintptr_t", NULL},
					       {"uintptr_t", NULL}};

/* A signal is sent to the thread that fires, a thread made in its process. */
static const struct {
	const struct prov_argument *first;
	uint32_t count;
} arguments[KEEPER_PROC_COUNT] = {
	[KEEPER_PROC_CREATE] = {child, ARRAY_LEN(child)},
	[KEEPER_PROC_EXEC] = {path, ARRAY_LEN(path)},
	[KEEPER_PROC_EXEC_FAILURE] = {number, ARRAY_LEN(number)},
	[KEEPER_PROC_EXIT] = {number, ARRAY_LEN(number)},
	[KEEPER_PROC_FAULT] = {fault, ARRAY_LEN(fault)},
	[KEEPER_PROC_LWP_CREATE] = {thread, ARRAY_LEN(thread)},
	[KEEPER_PROC_SIGNAL_SEND] = {sent, ARRAY_LEN(sent)},
	[KEEPER_PROC_SIGNAL_CLEAR] = {number, ARRAY_LEN(number)},
	[KEEPER_PROC_SIGNAL_DISCARD] = {sent, ARRAY_LEN(sent)},
	[KEEPER_PROC_SIGNAL_HANDLE] = {handled, ARRAY_LEN(handled)},
};

uint32_t prov_proc_arguments(const char *name, const struct prov_argument **out)
{
	uint64_t i = prov_proc_number(name);

	*out = i < ARRAY_LEN(arguments) ? arguments[i].first : NULL;
	return *out ? arguments[i].count : 0;
}

static bool wants(const char *pattern, const char *text)
{
	return !*pattern || glob_match(pattern, text);
}

static void add(struct tracer *t, const char *name)
{
	probes_add(&t->probes, &prov_proc,
		   (const char *const[4]){prov_proc.name, "", "", name});
}

void prov_proc_add_all(struct tracer *t)
{
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		add(t, names[i]);
}

bool prov_has_process(const struct provider *self, const struct tracer *t,
		      const struct dlang_probe_desc *desc, struct match *m)
{
	if (t->targets.len > 0 || t->is_listing)
		return true;
	if (*desc->field[0])
		snprintf(
			m->hint, sizeof(m->hint),
			"%s probes are those of traced processes: name one by -c or -p",
			self->name);
	return false;
}

static int proc_provide(const struct provider *self, struct tracer *t,
			const struct dlang_probe_desc *desc, struct match *m,
			struct err *e)
{
	(void)e;
	if (!wants(desc->field[0], self->name) || *desc->field[1] || *desc->field[2] ||
	    !prov_has_process(self, t, desc, m))
		return 0;
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (wants(desc->field[3], names[i]))
			add(t, names[i]);
	return 0;
}

const struct provider prov_proc = {
	.name = "proc",
	.contexts = CONTEXT_KEEPER,
	.attributes = {"Evolving/Evolving/ISA", "Private/Private/Unknown",
		       "Private/Private/Unknown", "Evolving/Evolving/ISA",
		       "Evolving/Evolving/ISA"},
	.provide = proc_provide,
};

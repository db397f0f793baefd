/* SPDX-License-Identifier: MIT */
#include "tracer/never_fired.h"
#include "tracer/output/out.h"
#include "tracer/providers/explain.h"
#include "tracer/targets/target.h"
#include "vm/base/text/shown.h"

#include <stdio.h>
#include <string.h>

#define SHOWN_MAX 3 /* probes, and functions that are explained */

/* Probes that fire in targets and have clauses; all of them when none has fired. */
static bool is_awaited(const struct tracer *t, const struct probe *p)
{
	return p->nenablings > 0 && p->provider &&
	       p->provider->contexts != CONTEXT_FRONT &&
	       provider_source(t, p).by != SOURCE_CLOCK && p->id != t->diag.lostevent &&
	       p->id != t->diag.missed_ustack && p->id != t->diag.site &&
	       p->id != t->diag.fpid;
}

/* The process that the probe names, if dtrace started or attached to it; NULL: none. */
static const struct target *target_of(const struct tracer *t, const struct probe *p)
{
	int pid = p->provider->process ? p->provider->process(&t->probes, p) : 0;

	for (size_t i = 0; pid && i < t->targets.len; i++)
		if (t->targets.data[i]->family == pid)
			return t->targets.data[i];
	return NULL;
}

static void add_name(struct strbuf *text, const struct tracer *t, const struct probe *p)
{
	const struct target *target = target_of(t, p);
	const char *provider = probes_name(&t->probes, p, PROBE_PROVIDER);
	size_t n = strlen(provider);

	if (target && target->is_named) {
		n -= (size_t)snprintf(NULL, 0, "%d", target->family);
		strbuf_printf(text, "%.*s$target", (int)n, provider);
	} else {
		strbuf_puts(text, provider);
	}
	for (enum probe_field f = PROBE_MODULE; f <= PROBE_NAME; f++) {
		const char *name = probes_name(&t->probes, p, f);

		strbuf_putc(text, ':');
		shown_add(text, name, strlen(name), SHOWN_NAME);
	}
}

/* Of a process that ran before dtrace came: it calls this function once. */
static bool is_start(const char *function)
{
	static const char *const names[] = {"main", "_start", "_init",
					    "__libc_start_main"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strcmp(names[i], function) == 0)
			return true;
	return false;
}

/* What is known of one of the probes; a line each. */
static void add_reasons(struct strbuf *text, struct tracer *t, const struct probe *p)
{
	const struct target *target = target_of(t, p);
	const char *function = probes_name(&t->probes, p, PROBE_FUNCTION);
	struct explain x = {t, target, function};
	uint64_t ncopies;

	if (!target || !*function)
		return;
	ncopies = explain_known_copies(&x);
	if (ncopies == 1)
		strbuf_printf(text, "\n\t'%s' may have run as its inlined copy",
			      function);
	else if (ncopies)
		strbuf_printf(text,
			      "\n\t'%s' may have run as one of its %llu inlined copies",
			      function, (unsigned long long)ncopies);
	if (is_start(function) && !target->created)
		strbuf_printf(text, "\n\tprocess %d was past '%s' when dtrace came",
			      target->pid, function);
	else if (is_start(function) && t->options.evaltime != EVALTIME_EXEC)
		strbuf_printf(text,
			      "\n\t'%s' may have run before tracing: -x "
			      "evaltime=exec begins earlier",
			      function);
}

static void add_children(struct strbuf *text, const struct tracer *t, uint32_t n)
{
	if (n && !t->options.follow)
		strbuf_printf(text,
			      "\n\t%u child process%s not traced: -x follow traces "
			      "children",
			      n, n == 1 ? " was" : "es were");
}

void never_fired_report(struct tracer *t, const struct keeper_release_reply *served)
{
	struct strbuf names = {0}, reasons = {0};
	size_t n = 0;

	if (served->fired || t->options.quiet)
		return;
	for (size_t i = 0; i < t->probes.table.len; i++) {
		const struct probe *p = &t->probes.table.data[i];

		if (!is_awaited(t, p) || n++ >= SHOWN_MAX)
			continue;
		strbuf_puts(&names, n > 1 ? ", " : "");
		add_name(&names, t, p);
		add_reasons(&reasons, t, p);
	}
	if (n > SHOWN_MAX)
		strbuf_printf(&names, " and %zu more", n - SHOWN_MAX);
	add_children(&reasons, t, served->nchildren);
	if (n)
		out_notice(t->out, "no probe fired: %s%s", names.data,
			   reasons.len ? reasons.data : "");
	strbuf_release(&names);
	strbuf_release(&reasons);
}

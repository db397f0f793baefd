/* SPDX-License-Identifier: MIT */
#include "tracer/usdt/usdt.h"
#include "tracer/output/out.h"
#include "tracer/targets/spawn.h"
#include "tracer/usdt/search.h"
#include "vm/base/fmt.h"
#include "vm/base/host/glob.h"
#include "vm/base/host/oom.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the provider field ---- */

static const char *digits_of(const char *field)
{
	const char *p = field + strlen(field);

	while (p > field && p[-1] >= '0' && p[-1] <= '9')
		p--;
	return p;
}

/* "pid123" and "fpid123" */
static bool is_pid_provider(const char *field)
{
	size_t n = (size_t)(digits_of(field) - field);

	return field[n] && ((n == 3 && memcmp(field, "pid", 3) == 0) ||
			    (n == 4 && memcmp(field, "fpid", 4) == 0));
}

static bool is_builtin(const struct tracer *t, const char *field)
{
	for (size_t i = 0; i < t->nproviders; i++)
		if (strcmp(t->providers[i]->name, field) == 0)
			return true;
	return false;
}

/* Whether the field may name a provider of a program: "python123", "python*". */
static bool may_name(const char *field)
{
	return *field && !is_pid_provider(field) &&
	       (*digits_of(field) || glob_is_pattern(field));
}

/* ---- processes ---- */

static void choose_object(void *ctx, struct module *m)
{
	usdt_apply_object(ctx, m);
}

static void apply_target(struct usdt_search *s)
{
	if (s->target->modules)
		modules_select(s->target->modules, s->field[1], choose_object, s);
}

/* Whether an object of a process that is not traced has such notes. */
struct question {
	struct usdt_search *s;
	bool is_found;
};

static void ask_object(void *ctx, struct module *m)
{
	struct question *q = ctx;
	struct probe_notes notes;
	struct err ignored;

	if (q->is_found || module_probe_notes(m, &notes, &ignored))
		return;
	for (size_t i = 0; i < notes.len; i++)
		q->is_found |= usdt_names_provider(q->s, notes.data[i].provider);
	probe_notes_release(&notes);
}

static bool process_has(struct usdt_search *s, int pid)
{
	struct target stranger = {.pid = pid, .family = pid};
	struct question q = {.s = s};
	struct modules *ms;
	struct err ignored;

	if (modules_read(pid, &ms, &ignored))
		return false;
	s->target = &stranger;
	modules_select(ms, s->field[1], ask_object, &q);
	s->target = NULL;
	modules_free(ms);
	return q.is_found;
}

/* Begins to trace the process of "python123", if it has such a provider. */
static int grab(struct usdt_search *s, struct err *e)
{
	const char *field = s->field[0], *digits = digits_of(field);
	struct err why;
	uint64_t pid;

	if (!*digits || fmt_parse_u64(digits, strlen(digits), 10, &pid) || !pid ||
	    pid > INT32_MAX || target_find(s->t, (int)pid) || !process_has(s, (int)pid))
		return 0;
	if (spawn_grab(s->t, (int)pid, false, &why))
		return err_tag(e, "D_PROC_GRAB", "failed to grab process %d: %s",
			       (int)pid, why.text);
	return 0;
}

/* Whether the field ends in the number of the target, and names no glob. */
static bool is_for(const struct target *target, const char *field)
{
	char number[16];
	size_t n = strlen(field), len;

	len = (size_t)snprintf(number, sizeof(number), "%d", target->family);
	return n > len && strcmp(field + n - len, number) == 0 &&
	       !glob_is_pattern(field);
}

/* The program of -c executes another one, which may have the provider. */
static void await_program(const struct usdt_search *s)
{
	const struct target *target = s->target;
	const char *field = s->field[0];

	if (s->m->ids.len || !target->is_launcher || s->t->is_listing ||
	    !is_for(target, field))
		return;
	s->m->is_awaited = true;
	if (!s->t->zero_ok)
		out_notice(
			s->t->out,
			"the program of -c has no such probe of '%.*s': dtrace waits "
			"until it executes another program",
			(int)(digits_of(field) - field), field);
}

/* ---- files that are only listed ---- */

static void list_file(struct usdt_search *s, const char *path)
{
	struct module *m;
	struct err e;

	if (module_read_file(path, 0, &m, &e)) {
		out_message(s->t->out, "%s", e.text);
		return;
	}
	if (!*s->field[1] || glob_match(s->field[1], m->name))
		usdt_apply_object(s, m);
	module_free(m);
}

static void list_files(struct usdt_search *s)
{
	const struct options *o = &s->t->options;

	for (size_t i = 0; i < o->words.len; i++)
		if (strcmp(o->words.data[i].name, "object") == 0)
			list_file(s, o->words.data[i].text);
}

/* ---- provider ---- */

static int usdt_provide(const struct provider *self, struct tracer *t,
			const struct dlang_probe_desc *desc, struct match *m,
			struct err *e)
{
	struct usdt_search s = {.prov = self,
				.t = t,
				.field = (const char *const *)desc->field,
				.m = m};
	int rc;

	if (t->is_listing && t->options.object && !is_builtin(t, desc->field[0]))
		list_files(&s);
	if (!may_name(desc->field[0]))
		return 0;
	rc = grab(&s, e);
	for (size_t i = 0; i < t->targets.len && !rc; i++) {
		s.target = t->targets.data[i];
		if (s.target->alive && !s.target->is_siteless)
			apply_target(&s);
		if (s.target->alive)
			await_program(&s);
	}
	return rc;
}

static void usdt_provide_object(const struct provider *self, struct tracer *t,
				const struct provider_object *o, struct match *m)
{
	struct usdt_search s = {
		.prov = self, .t = t, .target = o->target, .field = o->field, .m = m};

	if (may_name(o->field[0]) &&
	    modules_selects(o->target->modules, o->field[1], o->module))
		usdt_apply_object(&s, o->module);
}

static void usdt_add_all(const struct provider *self, struct tracer *t)
{
	static const char *const any[4] = {"", "", "", ""};
	struct match m = {0};
	struct usdt_search s = {.prov = self, .t = t, .field = any, .m = &m};

	list_files(&s);
	match_release(&m);
}

static bool usdt_names_process(const struct provider *self, const char *field)
{
	(void)self;
	return may_name(field);
}

static int usdt_process(const struct probes *ps, const struct probe *p)
{
	const struct probe_note_facts *facts = probes_facts(ps, p);

	return facts ? facts->pid : 0;
}

static void usdt_arguments(const struct probes *ps, const struct probe *p,
			   struct provider_arguments *out)
{
	const struct probe_note_facts *facts = probes_facts(ps, p);

	*out = (struct provider_arguments){.n = facts ? facts->nargs : 0};
	for (uint32_t i = 0; i < out->n; i++)
		out->list[i].type = facts->type[i];
}

static size_t gather_semaphores(const struct target *target, taddr *out)
{
	size_t n = 0;

	for (size_t i = 0; i < target->semaphores.len; i++)
		if (!target->semaphores.data[i].is_raised)
			out[n++] = target->semaphores.data[i].addr;
	return n;
}

static int send_semaphores(struct tracer *t, struct target *target, uint32_t *nrefused,
			   struct err *e)
{
	struct link_request req = {
		.msg = {.type = KEEPER_REQ_SEMAPHORES, .pid = target->pid}, .nfds = 1};
	struct keeper_msg reply = {0};
	size_t n = target->semaphores.len;
	taddr *addrs = oom_calloc(n + 1, sizeof(*addrs));
	int rc = 0;

	n = gather_semaphores(target, addrs);
	if (n) {
		req.msg.memory.bytes = n * sizeof(*addrs);
		req.fds[0] = link_memfd(addrs, req.msg.memory.bytes);
		rc = req.fds[0] < 0 ? err_errno(e, STATUS_NOMEM,
						"cannot make the list of semaphores")
				    : link_call(&t->link, &req, &reply, NULL, e);
		if (req.fds[0] >= 0)
			close(req.fds[0]);
		*nrefused = reply.semaphores_reply.nrefused;
	}
	free(addrs);
	return rc;
}

/* Programs fire no probe while its semaphore is 0. */
static void usdt_before_sites(struct tracer *t, struct target *target)
{
	uint32_t nrefused = 0;
	struct err e;
	int rc = send_semaphores(t, target, &nrefused, &e);

	if (rc && !target_is_going(target))
		out_message(t->out, "pid %d: semaphores of probes: %s", target->pid,
			    e.text);
	if (nrefused)
		out_message(t->out,
			    "pid %d: %u semaphores of probes are not in writable data: "
			    "these probes may not fire",
			    target->pid, nrefused);
	for (size_t i = 0; i < target->semaphores.len && !rc && !nrefused; i++)
		target->semaphores.data[i].is_raised = true;
}

const struct provider prov_usdt = {
	.name = "usdt",
	.contexts = CONTEXT_KEEPER | CONTEXT_RESIDENT,
	.takes_jumps = true,
	.attributes = {"Evolving/Evolving/ISA", "Private/Private/Unknown",
		       "Private/Private/Unknown", "Evolving/Evolving/ISA",
		       "Evolving/Evolving/ISA"},
	.provide = usdt_provide,
	.provide_object = usdt_provide_object,
	.add_all = usdt_add_all,
	.names_process = usdt_names_process,
	.process = usdt_process,
	.arguments = usdt_arguments,
	.before_sites = usdt_before_sites,
};

/* SPDX-License-Identifier: MIT */
/* What a description that matches nothing may have meant, by the notes of the targets. */
#include "tracer/usdt/usdt.h"
#include "tracer/usdt/search.h"
#include "vm/base/host/arena.h"
#include "vm/base/host/glob.h"
#include "vm/base/host/near.h"

#include <stdio.h>
#include <string.h>

struct suggest {
	struct arena names; /* of near's candidates */
	const struct target *target;
	char stem[PROBE_NOTE_NAME_MAX + 1]; /* the provider without a process id */
	char wanted[PROBE_NOTE_NAME_MAX + 1];
	struct near providers, probes;
	const char *provider; /* found; NULL: the providers are being searched */
};

static bool is_word(const char *field)
{
	return *field && !glob_is_pattern(field) &&
	       strlen(field) <= PROBE_NOTE_NAME_MAX;
}

static void offer(struct suggest *s, const struct probe_note *note)
{
	char name[PROBE_NOTE_NAME_MAX + 1];

	if (!s->provider) {
		near_offer(&s->providers, arena_strdup(&s->names, note->provider));
	} else if (strcmp(note->provider, s->provider) == 0) {
		usdt_probe_name(note->name, name);
		near_offer(&s->probes, arena_strdup(&s->names, name));
	}
}

static void offer_all(struct suggest *s)
{
	const struct modules *ms = s->target->modules;

	for (size_t i = 0; ms && i < ms->len; i++) {
		struct probe_notes notes;
		struct err ignored;

		if (!ms->data[i]->is_part &&
		    module_probe_notes(ms->data[i], &notes, &ignored) == 0)
			for (size_t k = 0; k < notes.len; k++)
				offer(s, &notes.data[k]);
		else
			notes = (struct probe_notes){0};
		probe_notes_release(&notes);
	}
}

static void set_hint(const struct suggest *s, const char *name, struct match *m)
{
	char pid[16] = "$target";

	if (!s->target->is_named)
		snprintf(pid, sizeof(pid), "%d", s->target->family);
	if (name)
		snprintf(m->hint, sizeof(m->hint), "did you mean '%s%s:::%s'?",
			 s->provider, pid, name);
	else
		snprintf(m->hint, sizeof(m->hint),
			 "'%s' has no such probe: dtrace -l -n '%s%s:::' lists those "
			 "that it has",
			 s->provider, s->provider, pid);
}

/* Sets s->provider and the hint if the provider is one of the target's, or nearly. */
static void suggest_of(struct suggest *s, const char *field, struct match *m)
{
	near_begin_strict(&s->providers, s->stem, 1);
	s->provider = NULL;
	offer_all(s);
	s->provider = near_first(&s->providers);
	if (!s->provider)
		return;
	if (!is_word(field)) {
		set_hint(s, field, m);
		return;
	}
	usdt_probe_name(field, s->wanted);
	near_begin_strict(&s->probes, s->wanted, 1);
	offer_all(s);
	set_hint(s, near_first(&s->probes), m);
}

void usdt_suggest(struct tracer *t, const struct dlang_probe_desc *desc,
		  struct match *m)
{
	const char *field = desc->field[0];
	size_t n = strlen(field);
	struct suggest s = {.stem = ""};

	while (n && field[n - 1] >= '0' && field[n - 1] <= '9')
		n--;
	if (!n || n > PROBE_NOTE_NAME_MAX || !is_word(field))
		return;
	memcpy(s.stem, field, n);
	for (size_t i = 0; i < t->targets.len && !s.provider; i++) {
		s.target = t->targets.data[i];
		if (s.target->alive)
			suggest_of(&s, desc->field[3], m);
	}
	arena_release(&s.names);
}

/* "pid" of "pid123": no program can have declared it. */
static bool is_built_in(const struct tracer *t, const char *stem, size_t n)
{
	for (size_t i = 0; i < t->nproviders; i++)
		if (strncmp(t->providers[i]->name, stem, n) == 0 &&
		    !t->providers[i]->name[n])
			return true;
	return false;
}

void usdt_explain_none(const struct tracer *t, const struct dlang_probe_desc *desc,
		       struct match *m)
{
	const char *field = desc->field[0];
	size_t n = strlen(field);

	while (n && field[n - 1] >= '0' && field[n - 1] <= '9')
		n--;
	if (!n || n > PROBE_NOTE_NAME_MAX || !is_word(field) || !field[n] ||
	    !t->targets.len || *m->hint || is_built_in(t, field, n))
		return;
	snprintf(m->hint, sizeof(m->hint),
		 "no object of the process has probes of '%.*s'; -Z waits for those "
		 "that "
		 "are loaded later",
		 (int)n, field);
}

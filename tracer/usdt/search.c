/* SPDX-License-Identifier: MIT */
#include "tracer/usdt/search.h"
#include "tracer/output/out.h"
#include "tracer/targets/objects.h"
#include "tracer/targets/pending_sites.h"
#include "tracer/targets/plan.h"
#include "vm/base/host/glob.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define NAME_BYTES (PROBE_NOTE_NAME_MAX + 1)

static bool field_wants(const char *pattern, const char *name)
{
	return !*pattern || glob_match(pattern, name);
}

void usdt_probe_name(const char *note, char out[NAME_BYTES])
{
	while (*note) {
		bool is_dash = note[0] == '_' && note[1] == '_';

		*out++ = is_dash ? '-' : *note;
		note += is_dash ? 2 : 1;
	}
	*out = '\0';
}

/* ---- names ---- */

static bool is_of_another(const struct tracer *t, const char *provider)
{
	for (size_t i = 0; i < t->nproviders; i++)
		if (strcmp(t->providers[i]->name, provider) == 0)
			return true;
	return false;
}

/* "pid" and a number are the pid provider's. */
static bool is_reserved(const char *provider)
{
	return strcmp(provider, "pid") == 0 || strcmp(provider, "fpid") == 0;
}

bool usdt_names_provider(const struct usdt_search *s, const char *provider)
{
	const char *field = s->field[0];
	size_t n = strlen(field);
	char full[NAME_BYTES + 16];

	if (is_reserved(provider))
		return false;
	if (!s->target)
		return field_wants(field, provider);
	if (!n ||
	    (!isdigit((unsigned char)field[n - 1]) && is_of_another(s->t, provider)))
		return false;
	snprintf(full, sizeof(full), "%s%d", provider, s->target->family);
	return glob_match(field, full);
}

static bool names_probe(const struct usdt_search *s, const char *name)
{
	char dashed[NAME_BYTES];

	usdt_probe_name(name, dashed);
	return field_wants(s->field[3], dashed) || field_wants(s->field[3], name);
}

/* ---- one note ---- */

/* What is around a site: its function. */
struct place {
	const char *function; /* "": it is in none that is known */
	const char *symbol;   /* its name in the file */
	uint64_t offset;
	struct addr_range part;
};

/* The part of the function that holds the address; empty if none does. */
static struct addr_range part_at(const struct module *m, const struct symbol *sym,
				 taddr pc)
{
	taddr lo = module_address(m, sym->value);
	struct addr_range r = {lo, taddr_add(lo, (int64_t)sym->size)};

	for (uint32_t i = 0; i < sym->nparts && !taddr_in(pc, r.lo, r.hi); i++) {
		const struct symbol_part *part = &m->parts[sym->first_part + i];

		r.lo = module_address(m, part->value);
		r.hi = taddr_add(r.lo, (int64_t)part->size);
	}
	return taddr_in(pc, r.lo, r.hi) ? r : (struct addr_range){pc, pc};
}

static struct place place_of(const struct usdt_search *s, const struct module *m,
			     taddr pc)
{
	const struct symbol *sym = module_at(m, pc);
	struct place p = {.function = "", .symbol = "", .part = {pc, pc}};
	const char *readable;

	if (!sym)
		return p;
	readable = s->t->options.demangle ? symbol_demangled(m, sym) : NULL;
	p.symbol = sym->name;
	p.function = readable ? readable : sym->name;
	p.offset = pc.v - module_address(m, sym->value).v;
	p.part = part_at(m, sym, pc);
	return p;
}

static const char *type_of(const struct probe_argument *a)
{
	static const char *const types[2][4] = {
		{"uint8_t", "uint16_t", "uint32_t", "uint64_t"},
		{"int8_t", "int16_t", "int32_t", "int64_t"}};
	const struct probe_operand *o = &a->operand;
	int log = o->size == 8 ? 3 : o->size == 4 ? 2 : o->size == 2;

	if (o->kind == PROBE_OPERAND_NONE)
		return NULL;
	if (a->is_float || o->kind == PROBE_OPERAND_VECTOR)
		return o->size == 4 ? "float" : "double";
	return types[o->is_signed ? 1 : 0][log];
}

static bool is_float(const char *type)
{
	return type && (strcmp(type, "float") == 0 || strcmp(type, "double") == 0);
}

/* What another site says of an argument: integers have 64 bits in argN anyway. */
static const char *merge_types(const char *a, const char *b)
{
	if (!a || !b || is_float(a) != is_float(b))
		return NULL;
	if (strcmp(a, b) == 0)
		return a;
	return is_float(a) ? NULL : "int64_t";
}

static void note_facts(struct usdt_search *s, const struct probe *p,
		       const struct probe_argument *list, size_t n)
{
	struct probes *ps = &s->t->probes;
	struct probe_note_facts *f = probes_facts(ps, p);
	bool is_first = !f;

	if (is_first) {
		f = probes_add_facts(ps, p);
		f->pid = s->target ? s->target->family : 0;
	}
	for (uint32_t i = 0; i < n; i++)
		f->type[i] = is_first || i >= f->nargs
				     ? type_of(&list[i])
				     : merge_types(f->type[i], type_of(&list[i]));
	f->nargs = max_u32(f->nargs, (uint32_t)n);
}

/* False: the process has as many as can be. */
static bool add_semaphore(struct target *target, taddr addr)
{
	for (size_t i = 0; i < target->semaphores.len; i++)
		if (target->semaphores.data[i].addr.v == addr.v)
			return true;
	if (target->semaphores.len >= KEEPER_SEMAPHORES_MAX)
		return false;
	*vec_push(&target->semaphores) = (struct target_semaphore){addr, false};
	return true;
}

/* Once for a process. */
static void report_semaphores(struct usdt_search *s)
{
	char key[48];

	snprintf(key, sizeof(key), "semaphores of %d", s->target->pid);
	if (strmap_get(&s->t->reported_copies, key, NULL))
		return;
	strmap_set(&s->t->reported_copies, key, 1);
	out_message(s->t->out,
		    "pid %d: its probes have more than %d semaphores: those beyond do "
		    "not fire",
		    s->target->pid, KEEPER_SEMAPHORES_MAX);
}

static void add_site(struct usdt_search *s, const struct module *m,
		     const struct place *place, struct pending_site *site)
{
	site->kind = KEEPER_SITE_OFFSET;
	site->convention = REGS_CONVENTION_NOTE;
	site->arg0 = (uint32_t)place->offset;
	site->part = place->part;
	site->module = *place->function ? m : NULL;
	if (site->module)
		plan_prepare(s->t, m, false);
	pending_sites_add(s->target, site);
}

static uint32_t add_probe(struct usdt_search *s, const struct module *m,
			  const struct probe_note *note, const char *function)
{
	char provider[NAME_BYTES + 16], name[NAME_BYTES];
	uint32_t id;

	snprintf(provider, sizeof(provider), "%s", note->provider);
	if (s->target)
		snprintf(provider, sizeof(provider), "%s%d", note->provider,
			 s->target->family);
	usdt_probe_name(note->name, name);
	id = probes_add(&s->t->probes, s->prov,
			(const char *const[4]){provider, m->name, function, name});
	match_add(s->m, id);
	return id;
}

static void apply_note(struct usdt_search *s, const struct module *m,
		       struct probe_notes *notes, size_t number)
{
	const struct probe_note *note = &notes->data[number];
	struct probe_argument list[PROBE_OPERANDS_MAX];
	struct probe_operands set = {0};
	struct pending_site site = {.addr = module_address(m, note->pc)};
	struct place place = place_of(s, m, site.addr);
	size_t n;

	if (!field_wants(s->field[2], place.function) &&
	    !field_wants(s->field[2], place.symbol))
		return;
	n = min_u64(probe_note_arguments(m, notes, number, list), PROBE_OPERANDS_MAX);
	site.probe = add_probe(s, m, note, place.function);
	note_facts(s, probes_get(&s->t->probes, site.probe), list, n);
	if (!s->target)
		return;
	set.probe = site.probe;
	for (size_t i = 0; i < n; i++)
		set.arg[i] = list[i].operand;
	site.operands = usdt_operands_add(s->t, &set);
	add_site(s, m, &place, &site);
	if (note->semaphore &&
	    !add_semaphore(s->target, module_address(m, note->semaphore)))
		report_semaphores(s);
}

/* ---- an object ---- */

static bool has_wanted(const struct usdt_search *s, const struct probe_notes *notes)
{
	for (size_t i = 0; i < notes->len; i++)
		if (usdt_names_provider(s, notes->data[i].provider) &&
		    names_probe(s, notes->data[i].name))
			return true;
	return false;
}

static void apply_notes(struct usdt_search *s, struct module *m,
			struct probe_notes *notes)
{

	if (!has_wanted(s, notes))
		return;
	if (!objects_have_symbols(s->t, m))
		return;
	for (size_t i = 0; i < notes->len && !tracer_is_interrupted(s->t); i++)
		if (usdt_names_provider(s, notes->data[i].provider) &&
		    names_probe(s, notes->data[i].name))
			apply_note(s, m, notes, i);
}

void usdt_apply_object(struct usdt_search *s, struct module *m)
{
	struct probe_notes notes;
	struct err e;

	if (m->is_vdso || m->is_part)
		return;
	if (module_probe_notes(m, &notes, &e) == 0)
		apply_notes(s, m, &notes);
	if (notes.nbad && !*s->m->hint)
		snprintf(s->m->hint, sizeof(s->m->hint),
			 "notes of probes in '%.200s' are damaged: %u", m->name,
			 notes.nbad);
	probe_notes_release(&notes);
}

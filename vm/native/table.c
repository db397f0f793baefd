/* SPDX-License-Identifier: MIT */
/* The routines of all probes: probes with the same clauses have the same ones. */
#include "vm/base/hash.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"
#include "vm/native/translation.h"

#include <string.h>

#define CODE_MAX (UINT32_C(1) << 22) /* bytes of all routines */

/* Routines that exist, found by their clauses. */
struct routine {
	uint32_t first, n; /* clauses, in struct lists */
	struct native_probe at;
};

struct translator {
	const void *image;
	const struct vm_probe *probes;
	const struct vm_enabling *enablings;
	const struct vm_fullname *fullnames;
	const char *names;
	struct {
		struct routine *data;
		size_t len, cap;
	} routines;
	uint32_t *buckets; /* number of a routine + 1, or 0; n is a power of two */
	uint32_t nbuckets;
	struct {
		uint32_t *data;
		size_t len, cap;
	} clauses; /* of all routines */
	struct {
		struct native_light *data;
		size_t len, cap;
	} lights;
	struct x86_code code;
	struct native_code *out;
};

/* The place of the code in the region, or 0 for none. */
static uint32_t add_code(struct translator *t)
{
	const uint32_t aligned = 16;
	const uint32_t used = t->out->bytes ? t->out->n : 0;
	uint32_t at = (uint32_t)align_up(t->out->n, aligned);

	if (t->code.n > CODE_MAX - at)
		return 0;
	t->out->bytes = oom_realloc(t->out->bytes, at + t->code.n);
	memset(t->out->bytes + used, 0xcc, at - used);
	memcpy(t->out->bytes + at, t->code.bytes, t->code.n);
	t->out->n = at + t->code.n;
	return at;
}

static uint32_t add_routine(struct translator *t, struct clause_list list,
			    enum native_site site)
{
	return routine_translate(t->image, list, site, &t->code) ? add_code(t) : 0;
}

static uint32_t add_light(struct translator *t, struct clause_list list,
			  enum native_site site, bool has_routine)
{
	const struct light_request request = {t->image, list, site, has_routine};
	struct native_light parts;
	uint32_t at = 0;

	if (light_translate(&request, &t->code, &parts) == LIGHT_IS)
		at = add_code(t);
	if (at)
		*vec_push(&t->lights) = (struct native_light){
			.body = at + parts.body,
			.finished = at + parts.finished,
			.unfinished = at + parts.unfinished,
		};
	return at;
}

/*
 * A clause that only counts under one key of the probe is not worth a routine: the
 * count cache is faster (hook/resident.h).
 */
static bool is_cached_count(const struct translator *t, struct clause_list list)
{
	return list.n == 1 &&
	       program_clause(t->image, list.clause[0])->flags & CLAUSE_CONSTANT;
}

static struct native_probe make_routines(struct translator *t, struct clause_list list)
{
	struct native_probe at = {0};

	if (is_cached_count(t, list))
		return at;
	at.entry = add_routine(t, list, NATIVE_AT_ENTRY);
	at.result = add_routine(t, list, NATIVE_AT_RETURN);
	for (uint32_t i = 0; i < list.n; i++)
		at.arguments |= program_arguments(
			t->image, program_clause(t->image, list.clause[i]));
	/* Without arguments, a site with a note is like an entry. */
	if (at.arguments)
		at.noted = add_routine(t, list, NATIVE_AT_NOTE);
	at.light_entry = add_light(t, list, NATIVE_AT_ENTRY, at.entry);
	at.light_result = add_light(t, list, NATIVE_AT_RETURN, at.result);
	return at;
}

static bool has_clauses(const struct translator *t, const struct routine *r,
			struct clause_list list)
{
	return r->n == list.n && !memcmp(t->clauses.data + r->first, list.clause,
					 list.n * sizeof(*list.clause));
}

static struct native_probe routines_of(struct translator *t, struct clause_list list)
{
	size_t bytes = list.n * sizeof(*list.clause);
	uint32_t i = (uint32_t)hash_bytes(list.clause, bytes, 0) & (t->nbuckets - 1);
	struct routine *r;

	for (; t->buckets[i]; i = (i + 1) & (t->nbuckets - 1)) {
		r = &t->routines.data[t->buckets[i] - 1];
		if (has_clauses(t, r, list))
			return r->at;
	}
	r = vec_push(&t->routines);
	r->first = (uint32_t)t->clauses.len;
	r->n = list.n;
	r->at = make_routines(t, list);
	for (uint32_t k = 0; k < list.n; k++)
		*vec_push(&t->clauses) = list.clause[k];
	t->buckets[i] = (uint32_t)t->routines.len;
	return r->at;
}

/* A tuple may have to hold any part of the name. */
static bool has_short_name(const struct translator *t, uint32_t probe)
{
	for (int k = 0; k < 4; k++)
		if (!routine_takes_string(t->names + t->fullnames[probe].field[k]))
			return false;
	return true;
}

#define LIST_MAX 256u /* clauses of one probe */

static struct native_probe translate_probe(struct translator *t, uint32_t i)
{
	const struct vm_probe *probe = &t->probes[i];
	uint32_t clauses[LIST_MAX];

	if (!probe->nenablings || probe->nenablings > LIST_MAX || !has_short_name(t, i))
		return (struct native_probe){0};
	for (uint32_t k = 0; k < probe->nenablings; k++)
		clauses[k] = t->enablings[probe->first_enabling + k].clause;
	return routines_of(t, (struct clause_list){clauses, probe->nenablings});
}

void native_translate(const void *image, const struct vm_table *table,
		      struct native_code *out)
{
	struct translator *t = oom_calloc(1, sizeof(*t));

	*out = (struct native_code){.n = 1}; /* no routine is at 0 */
	t->image = image;
	t->probes = (const void *)(table + 1);
	t->enablings = (const void *)(t->probes + table->nprobes);
	t->fullnames = (const void *)(t->enablings + table->nenablings);
	t->names = (const void *)(t->fullnames + table->nprobes);
	t->out = out;
	for (t->nbuckets = 16; t->nbuckets < table->nprobes * UINT64_C(2);)
		t->nbuckets *= 2;
	t->buckets = oom_calloc(t->nbuckets, sizeof(*t->buckets));
	out->probes = oom_calloc(table->nprobes + UINT64_C(1), sizeof(*out->probes));
	for (uint32_t i = 0; i < table->nprobes; i++)
		out->probes[i] = translate_probe(t, i);
	out->nlights = (uint32_t)t->lights.len;
	out->lights = t->lights.data;
	vec_release(&t->routines);
	vec_release(&t->clauses);
	free(t->buckets);
	free(t);
}

void native_release(struct native_code *code)
{
	free(code->bytes);
	free(code->probes);
	free(code->lights);
	*code = (struct native_code){.bytes = NULL};
}

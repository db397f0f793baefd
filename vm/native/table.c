/* SPDX-License-Identifier: MIT */
/* The routines of all probes: probes with the same clauses have the same ones. */
#include "vm/base/hash.h"
#include "vm/base/host/map.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"
#include "vm/native/translation.h"

#include <string.h>

#define NOTED_MAX UINT32_C(4096)      /* light routines for sets of operands */
#define CODE_MAX  (UINT32_C(1) << 22) /* bytes of all routines */

/* Routines that exist, found by their clauses. */
struct routine {
	uint32_t first, n; /* clauses, in struct lists */
	struct native_probe at;
};

/* A light routine for operands. Only those that are used are here; in the place of the
 * probe is the number of its routines. */
struct noted {
	struct probe_operands used;
	uint32_t light; /* 0: there is none */
};

struct translator {
	const void *image;
	const struct vm_probe *probes;
	const struct vm_enabling *enablings;
	const struct vm_fullname *fullnames;
	const char *names;
	uint32_t names_size;
	uint32_t name_most;	/* bytes of a part of a name in a record, at most */
	uint32_t short_name[4]; /* parts of names that a tuple takes */
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
	uint32_t *of_probe; /* its number in `routines` + 1; 0: none */
	struct {
		struct noted *data;
		size_t len, cap;
	} noted;
	struct index noted_index; /* by the hash of what is used */
	struct x86_code code;
	struct native_code *out;
};

/* The place of the code in the region, or 0 for none. */
static uint32_t add_code(struct translator *t)
{
	const uint32_t aligned = 64;
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
	const struct routine_request request = {t->image, list, site, t->name_most};

	return routine_translate(&request, &t->code) ? add_code(t) : 0;
}

static uint32_t add_light(struct translator *t, const struct light_request *request)
{
	struct native_light parts;
	uint32_t at = 0;

	if (light_translate(request, &t->code, &parts) == LIGHT_IS)
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
	struct light_request light = {
		.image = t->image, .clauses = list, .name_most = t->name_most};
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
	light.site = NATIVE_AT_ENTRY;
	light.has_routine = at.entry;
	at.light_entry = add_light(t, &light);
	light.site = NATIVE_AT_RETURN;
	light.has_routine = at.result;
	at.light_result = add_light(t, &light);
	return at;
}

static bool has_clauses(const struct translator *t, const struct routine *r,
			struct clause_list list)
{
	return r->n == list.n && !memcmp(t->clauses.data + r->first, list.clause,
					 list.n * sizeof(*list.clause));
}

/* Their number. */
static uint32_t routines_of(struct translator *t, struct clause_list list)
{
	size_t bytes = list.n * sizeof(*list.clause);
	uint32_t i = (uint32_t)hash_bytes(list.clause, bytes, 0) & (t->nbuckets - 1);
	struct routine *r;

	for (; t->buckets[i]; i = (i + 1) & (t->nbuckets - 1)) {
		if (has_clauses(t, &t->routines.data[t->buckets[i] - 1], list))
			return t->buckets[i] - 1;
	}
	r = vec_push(&t->routines);
	r->first = (uint32_t)t->clauses.len;
	r->n = list.n;
	r->at = make_routines(t, list);
	for (uint32_t k = 0; k < list.n; k++)
		*vec_push(&t->clauses) = list.clause[k];
	t->buckets[i] = (uint32_t)t->routines.len;
	return t->buckets[i] - 1;
}

/* A tuple may have to hold any part of the name. Parts often are those of the last. */
static bool has_short_name(struct translator *t, uint32_t probe)
{
	for (int k = 0; k < 4; k++) {
		const uint32_t name = t->fullnames[probe].field[k];

		if (t->short_name[k] == name)
			continue;
		if (!routine_takes_string(t->names + name))
			return false;
		t->short_name[k] = name;
	}
	return true;
}

/*
 * Records get a part of a name by words of 8 bytes, and all of it: it must not be too
 * long, and the words must be part of the names.
 */
#define RECORDED_NAME_MOST 244u

static bool is_recordable(const struct translator *t, uint32_t name, uint32_t *n)
{
	*n = (uint32_t)strnlen(t->names + name, RECORDED_NAME_MOST + 1);
	return *n <= min_u32(RECORDED_NAME_MOST, program_header(t->image)->strsize) &&
	       t->names_size - name >= *n + VM_NAMES_REST;
}

static bool has_recordable_name(const struct translator *t, uint32_t probe)
{
	uint32_t n;

	for (int k = 0; k < 4; k++)
		if (!is_recordable(t, t->fullnames[probe].field[k], &n))
			return false;
	return true;
}

/* In a tuple. */
static uint32_t longest_name(const struct translator *t, uint32_t nprobes)
{
	uint32_t last[4] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};
	uint32_t most = 0, n;

	for (uint32_t i = 0; i < nprobes; i++)
		for (int k = 0; k < 4 && t->probes[i].nenablings; k++) {
			const uint32_t name = t->fullnames[i].field[k];

			if (name != last[k] && is_recordable(t, name, &n))
				most = max_u32(most, n);
			last[k] = name;
		}
	return (uint32_t)align_up(most + sizeof(uint32_t), 8);
}

#define LIST_MAX 256u /* clauses of one probe */

static void translate_probe(struct translator *t, uint32_t i)
{
	const struct vm_probe *probe = &t->probes[i];
	uint32_t clauses[LIST_MAX], number;
	struct clause_list list;

	if (!probe->nenablings || probe->nenablings > LIST_MAX || !has_short_name(t, i))
		return;
	for (uint32_t k = 0; k < probe->nenablings; k++)
		clauses[k] = t->enablings[probe->first_enabling + k].clause;
	list = (struct clause_list){clauses, probe->nenablings};
	if (record_has_names(t->image, list) && !has_recordable_name(t, i))
		return;
	number = routines_of(t, list);
	t->of_probe[i] = number + 1;
	t->out->probes[i] = t->routines.data[number].at;
}

static uint32_t make_noted(struct translator *t, const struct probe_operands *used)
{
	const struct routine *r = &t->routines.data[used->probe];
	const struct light_request request = {
		.image = t->image,
		.clauses = {t->clauses.data + r->first, r->n},
		.site = NATIVE_AT_NOTE,
		.has_routine = r->at.noted,
		.operands = used,
		.name_most = t->name_most,
	};

	return add_light(t, &request);
}

/* Sites whose operands differ only in what no clause reads share a routine. */
static uint32_t noted_of(struct translator *t, const struct probe_operands *used)
{
	const uint64_t hash = hash_bytes(used, sizeof(*used), 0);
	struct noted *n;

	for (uint32_t i = index_first(&t->noted_index, hash); i;
	     i = index_next(&t->noted_index, i)) {
		n = &t->noted.data[i - 1];
		if (memcmp(&n->used, used, sizeof(*used)) == 0)
			return n->light;
	}
	if (t->noted.len == NOTED_MAX)
		return 0;
	index_add(&t->noted_index, hash);
	n = vec_push(&t->noted);
	*n = (struct noted){*used, make_noted(t, used)};
	return n->light;
}

static uint32_t translate_noted(struct translator *t, const struct probe_operands *set)
{
	const uint32_t number = t->of_probe[set->probe - 1];
	struct probe_operands used;
	uint32_t arguments;

	arguments = number ? t->routines.data[number - 1].at.arguments : 0;
	if (!arguments)
		return 0;
	memset(&used, 0, sizeof(used));
	used.probe = number - 1;
	for (uint32_t i = 0; i < PROBE_OPERANDS_MAX; i++)
		if (arguments >> i & 1)
			used.arg[i] = set->arg[i];
	return noted_of(t, &used);
}

static void translate_all(struct translator *t, const struct vm_table *table)
{
	const struct probe_operands *sets =
		(const void *)(t->names + table->names_size);

	for (uint32_t i = 0; i < table->nprobes; i++)
		translate_probe(t, i);
	for (uint32_t i = 0; i < table->noperands; i++)
		t->out->noted_lights[i] = translate_noted(t, &sets[i]);
}

static void release(struct translator *t)
{
	vec_release(&t->routines);
	vec_release(&t->clauses);
	vec_release(&t->noted);
	index_release(&t->noted_index);
	free(t->of_probe);
	free(t->buckets);
	free(t);
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
	t->names_size = table->names_size;
	memset(t->short_name, 0xff, sizeof(t->short_name));
	t->name_most = longest_name(t, table->nprobes);
	t->out = out;
	for (t->nbuckets = 16; t->nbuckets < table->nprobes * UINT64_C(2);)
		t->nbuckets *= 2;
	t->buckets = oom_calloc(t->nbuckets, sizeof(*t->buckets));
	out->probes = oom_calloc(table->nprobes + UINT64_C(1), sizeof(*out->probes));
	out->noted_lights =
		oom_calloc(table->noperands + UINT64_C(1), sizeof(*out->noted_lights));
	t->of_probe = oom_calloc(table->nprobes + UINT64_C(1), sizeof(*t->of_probe));
	translate_all(t, table);
	out->nlights = (uint32_t)t->lights.len;
	out->lights = t->lights.data;
	release(t);
}

void native_release(struct native_code *code)
{
	free(code->bytes);
	free(code->probes);
	free(code->lights);
	free(code->noted_lights);
	*code = (struct native_code){.bytes = NULL};
}

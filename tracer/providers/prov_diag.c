/* SPDX-License-Identifier: MIT */
#include "tracer/providers/prov_diag.h"
#include "tracer/base/core.h"
#include "tracer/consume/consume.h"
#include "tracer/targets/site_report.h"
#include "vm/base/host/vec.h"

#include <string.h>

/* fpid: arguments of the function, or what it returns, from args[2] on. */
static const struct provider_argument fpid[] = {
	{"int", NULL},	    {"uintptr_t", NULL}, {"uint64_t", NULL}, {"uint64_t", NULL},
	{"uint64_t", NULL}, {"uint64_t", NULL},	 {"uint64_t", NULL}, {"uint64_t", NULL},
	{"uint64_t", NULL}, {"uint64_t", NULL}};
static const struct provider_argument lostevent[] = {
	{"uint64_t", NULL}, {"int", NULL}, {"string", "diag_text2"}};
static const struct provider_argument missed_ustack[] = {{"uintptr_t", NULL},
							 {"uint32_t", NULL}};
static const struct provider_argument site[] = {{"uintptr_t", NULL},
						{"string", "diag_text1"},
						{"string", "diag_text2"},
						{"uint32_t", NULL},
						{"pid_t", NULL}};

/* The same provider for the probes that dtrace fires. */
static const struct provider diag_in_dtrace;

static const struct {
	const char *name;
	const struct provider *provider;
	const struct provider_argument *first;
	uint32_t count;
	size_t id; /* where in struct diag_probes */
} probes[] = {
	{"fpid", &prov_diag, fpid, ARRAY_LEN(fpid), offsetof(struct diag_probes, fpid)},
	{"lostevent", &diag_in_dtrace, lostevent, ARRAY_LEN(lostevent),
	 offsetof(struct diag_probes, lostevent)},
	{"missed-ustack", &prov_diag, missed_ustack, ARRAY_LEN(missed_ustack),
	 offsetof(struct diag_probes, missed_ustack)},
	{"site", &diag_in_dtrace, site, ARRAY_LEN(site),
	 offsetof(struct diag_probes, site)},
};

static void diag_arguments(const struct probes *ps, const struct probe *p,
			   struct provider_arguments *out)
{
	const char *name = probes_name(ps, p, PROBE_NAME);

	for (size_t i = 0; i < ARRAY_LEN(probes); i++) {
		if (strcmp(probes[i].name, name) != 0)
			continue;
		out->n = probes[i].count;
		memcpy(out->list, probes[i].first, out->n * sizeof(*out->list));
	}
}

static void diag_init(const struct provider *self, struct tracer *t)
{
	for (size_t i = 0; i < ARRAY_LEN(probes); i++) {
		uint32_t *id = (void *)((char *)&t->diag + probes[i].id);

		*id = probes_add(
			&t->probes, probes[i].provider,
			(const char *const[4]){self->name, "", "", probes[i].name});
	}
}

static bool is_enabled(const struct tracer *t, uint32_t id)
{
	const struct probe *p = probes_get(&t->probes, id);

	return p && p->nenablings > 0;
}

/* A site of fpid whose probe has clauses: others have no hits. */
static bool is_watched(const struct tracer *t, const struct keeper_site *s)
{
	const struct probe *p =
		s->kind == KEEPER_SITE_HOLD ? NULL : probes_get(&t->probes, s->probe);

	return p && p->provider->takes_jumps && p->nenablings > 0;
}

static void diag_add_sites(struct tracer *t, struct target *target)
{
	size_t n = target->sites.len;

	if (!is_enabled(t, t->diag.fpid))
		return;
	for (size_t i = 0; i < n; i++) {
		struct target_pending beside = target->sites.data[i];

		if (!is_watched(t, &beside.site))
			continue;
		beside.site.kind += KEEPER_SITE_RAW;
		beside.site.probe = t->diag.fpid;
		*vec_push(&target->sites) = beside;
	}
}

static void diag_fire_sites(struct tracer *t, const struct target *target,
			    const struct keeper_sites *sites)
{
	const struct keeper_site *sent = (const void *)(sites + 1);

	if (!is_enabled(t, t->diag.site))
		return;
	for (size_t i = 0; i < target->sites.len; i++) {
		const struct target_pending *s = &target->sites.data[i];
		struct host_args args = {.pid = target->pid};
		struct site_report how;

		if (s->site.kind == KEEPER_SITE_HOLD ||
		    keeper_site_is_raw(s->site.kind))
			continue;
		how = site_report_of(t, target, s, &sent[i]);
		args.text[0] = how.tactic;
		args.text[1] = how.reason;
		args.value[0] = s->site.addr.v;
		args.value[1] = (uintptr_t)how.tactic;
		args.value[2] = (uintptr_t)how.reason;
		args.value[3] = s->site.probe;
		args.value[4] = (uint64_t)target->pid;
		host_env_fire_unheard(&t->host, t->diag.site, VM_FIRE_NORMAL, &args);
	}
}

void prov_diag_fire_lost(void *ctx, enum drop kind, uint64_t n)
{
	struct tracer *t = ctx;
	const struct host_args args = {
		.value = {n, kind, (uintptr_t)drops_tag(kind)},
		.text = {drops_tag(kind)},
	};

	if (is_enabled(t, t->diag.lostevent))
		host_env_fire_unheard(&t->host, t->diag.lostevent,
				      state_is_stopped(t->state) ? VM_FIRE_END
								 : VM_FIRE_NORMAL,
				      &args);
}

void prov_diag_end(struct tracer *t)
{
	if (is_enabled(t, t->diag.lostevent))
		consumer_report_drops(t->consumer);
}

#define ATTRIBUTES                                                                     \
	{                                                                              \
		"Evolving/Evolving/Common", "Private/Private/Unknown",                 \
			"Private/Private/Unknown", "Evolving/Evolving/Common",         \
			"Evolving/Evolving/ISA"                                        \
	}

const struct provider prov_diag = {
	.name = "diag",
	.contexts = CONTEXT_KEEPER | CONTEXT_RESIDENT,
	.attributes = ATTRIBUTES,
	.init = diag_init,
	.arguments = diag_arguments,
	.add_sites = diag_add_sites,
	.sites_answered = diag_fire_sites,
};

static const struct provider diag_in_dtrace = {
	.name = "diag",
	.contexts = CONTEXT_FRONT,
	.attributes = ATTRIBUTES,
	.arguments = diag_arguments,
};

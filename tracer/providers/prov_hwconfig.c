/* SPDX-License-Identifier: MIT */
#include "tracer/providers/prov_hwconfig.h"
#include "tracer/base/core.h"
#include "tracer/events/origin.h"
#include "vm/base/host/glob.h"

#include <stdio.h>
#include <string.h>

static const struct provider_argument system_[] = {{"hwsystem_t *", "hwconfig_system"}},
				      processor[] = {{"cpuinfo_t *", "hwconfig_cpu"},
						     {"hwprocessor_t *",
						      "hwconfig_processor"}},
				      memory[] = {{"hwmemory_t *", "hwconfig_memory"}},
				      disk[] = {{"devinfo_t *", "io_device"},
						{"hwdisk_t *", "hwconfig_disk"}},
				      network[] = {
					      {"ifinfo_t *", "kernel_ip_interface"},
					      {"hwnetwork_t *", "hwconfig_network"}};

static const struct {
	const char *name;
	const struct provider_argument *first;
	uint32_t count;
} probes[HARDWARE_KINDS] = {
	[HARDWARE_SYSTEM] = {"system", system_, ARRAY_LEN(system_)},
	[HARDWARE_PROCESSOR] = {"processor", processor, ARRAY_LEN(processor)},
	[HARDWARE_MEMORY] = {"memory", memory, ARRAY_LEN(memory)},
	[HARDWARE_DISK] = {"disk", disk, ARRAY_LEN(disk)},
	[HARDWARE_PARTITION] = {"partition", disk, ARRAY_LEN(disk)},
	[HARDWARE_NETWORK] = {"network", network, ARRAY_LEN(network)},
};

static void hwconfig_arguments(const struct probes *ps, const struct probe *p,
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

static void explain(const struct origin *o, struct match *m)
{
	m->is_explained = true;
	snprintf(m->hint, sizeof(m->hint), "%s",
		 o->is_past ? "the recording does not tell this of its machine"
			    : "/proc and /sys of this machine do not tell it");
}

/* field and m NULL: all. m: why one that is named does not exist. */
static void add(struct tracer *t, const char *field, struct match *m)
{
	const struct origin *o = t->origin;

	for (unsigned i = 0; i < HARDWARE_KINDS; i++) {
		const char *name = probes[i].name;

		if (field && !match_field(field, name))
			continue;
		if (o->calls->tells(o, (enum hardware_kind)i))
			probes_add(&t->probes, &prov_hwconfig,
				   (const char *const[4]){"hwconfig", "", "", name});
		else if (field && strcmp(field, name) == 0)
			explain(o, m);
	}
}

static void hwconfig_add_all(const struct provider *self, struct tracer *t)
{
	(void)self;
	add(t, NULL, NULL);
}

static int hwconfig_provide(const struct provider *self, struct tracer *t,
			    const struct dlang_probe_desc *desc, struct match *m,
			    struct err *e)
{
	(void)e;
	if (*desc->field[0] && glob_match(desc->field[0], self->name) &&
	    !*desc->field[1] && !*desc->field[2])
		add(t, desc->field[3], m);
	return 0;
}

/* The enabled probes of the kinds; 0: none. False: none at all is enabled. */
static bool find_enabled(const struct tracer *t, uint32_t ids[HARDWARE_KINDS])
{
	bool any = false;

	memset(ids, 0, HARDWARE_KINDS * sizeof(*ids));
	for (size_t i = 0; i < t->probes.table.len; i++) {
		const struct probe *p = &t->probes.table.data[i];
		const char *name = probes_name(&t->probes, p, PROBE_NAME);

		if (p->provider != &prov_hwconfig || p->nenablings == 0)
			continue;
		for (unsigned k = 0; k < HARDWARE_KINDS; k++)
			if (strcmp(probes[k].name, name) == 0)
				ids[k] = p->id;
		any = true;
	}
	return any;
}

void prov_hwconfig_fire(struct tracer *t)
{
	uint32_t ids[HARDWARE_KINDS];
	struct hardware h = {0};

	if (state_is_stopped(t->state) || !find_enabled(t, ids))
		return;
	t->origin->calls->hardware(t->origin, &h);
	for (size_t i = 0; i < h.list.len && !state_is_stopped(t->state); i++) {
		const struct hardware_item *item = &h.list.data[i];
		struct host_args args = {.pid = 0};

		if (!ids[item->kind])
			continue;
		memcpy(args.value, item->value, sizeof(item->value));
		for (unsigned k = 0; k < HARDWARE_ARGUMENTS; k++)
			args.text[k] = item->text[k];
		host_env_fire_with(&t->host, ids[item->kind], &args);
	}
	hardware_release(&h);
}

const struct provider prov_hwconfig = {
	.name = "hwconfig",
	.contexts = CONTEXT_FRONT,
	.attributes = {"Evolving/Evolving/Common", "Private/Private/Unknown",
		       "Private/Private/Unknown", "Evolving/Evolving/Common",
		       "Evolving/Evolving/Common"},
	.add_all = hwconfig_add_all,
	.provide = hwconfig_provide,
	.arguments = hwconfig_arguments,
};

/* SPDX-License-Identifier: MIT */
/*
 * The provider cpc: EVENT-MODE-COUNT fires each time a processor, or a traced thread, has
 * counted so many of the events in the mode.
 */
#include "tracer/base/core.h"
#include "tracer/events/rings.h"
#include "tracer/providers/machine/machine.h"
#include "vm/base/fmt.h"
#include "vm/base/host/glob.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#define HARDWARE(name, config)                                                         \
	{                                                                              \
		(name), PERF_TYPE_HARDWARE, PERF_COUNT_HW_##config, 5000, 1000000      \
	}
#define SOFTWARE(name, config, least, usual)                                           \
	{                                                                              \
		(name), PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##config, (least), (usual)   \
	}

/* A name of DTrace's stands for the counter before it. Of clocks ns are counted. */
static const struct counter {
	const char *name;
	uint32_t type, config;
	uint64_t least, usual; /* counts */
} counters[] = {
	SOFTWARE("cpu-clock", CPU_CLOCK, 200000, 1000000),
	SOFTWARE("task-clock", TASK_CLOCK, 200000, 1000000),
	SOFTWARE("page-faults", PAGE_FAULTS, 1, 1),
	SOFTWARE("minor-faults", PAGE_FAULTS_MIN, 1, 1),
	SOFTWARE("major-faults", PAGE_FAULTS_MAJ, 1, 1),
	SOFTWARE("context-switches", CONTEXT_SWITCHES, 1, 1),
	SOFTWARE("cpu-migrations", CPU_MIGRATIONS, 1, 1),
	SOFTWARE("alignment-faults", ALIGNMENT_FAULTS, 1, 1),
	SOFTWARE("emulation-faults", EMULATION_FAULTS, 1, 1),
	HARDWARE("cpu-cycles", CPU_CYCLES),
	HARDWARE("PAPI_tot_cyc", CPU_CYCLES),
	HARDWARE("instructions", INSTRUCTIONS),
	HARDWARE("PAPI_tot_ins", INSTRUCTIONS),
	HARDWARE("cache-references", CACHE_REFERENCES),
	HARDWARE("cache-misses", CACHE_MISSES),
	HARDWARE("branches", BRANCH_INSTRUCTIONS),
	HARDWARE("PAPI_br_ins", BRANCH_INSTRUCTIONS),
	HARDWARE("branch-misses", BRANCH_MISSES),
	HARDWARE("PAPI_br_msp", BRANCH_MISSES),
	HARDWARE("bus-cycles", BUS_CYCLES),
	HARDWARE("ref-cycles", REF_CPU_CYCLES),
};

static const struct counter *find(const char *name, size_t n)
{
	for (size_t i = 0; i < ARRAY_LEN(counters); i++)
		if (strlen(counters[i].name) == n &&
		    memcmp(counters[i].name, name, n) == 0)
			return &counters[i];
	return NULL;
}

/* The '-' before the last part of n characters; NULL: there is none. */
static const char *last_part(const char *name, size_t n)
{
	return memrchr(name, '-', n);
}

static bool is_mode(const char *text, size_t n)
{
	return (n == 4 && !memcmp(text, "user", 4)) ||
	       (n == 6 && !memcmp(text, "kernel", 6)) ||
	       (n == 3 && !memcmp(text, "all", 3));
}

/* Takes a name apart. False: it is none; why says in which way, if it looks like one. */
static bool take_apart(const char *name, struct kernel_event *out, char *why,
		       size_t room)
{
	const char *count = last_part(name, strlen(name));
	const char *mode = count ? last_part(name, (size_t)(count - name)) : NULL;
	const struct counter *c;

	if (!mode || !is_mode(mode + 1, (size_t)(count - mode) - 1) ||
	    fmt_parse_u64(count + 1, strlen(count + 1), 10, &out->value)) {
		snprintf(
			why, room, "%s",
			"its names are EVENT-MODE-COUNT, where MODE is user, kernel or "
			"all: page-faults-user-100");
		return false;
	}
	c = find(name, (size_t)(mode - name));
	if (!c) {
		snprintf(why, room, "%s",
			 "there is no counter of this name: 'dtrace -lP cpc' lists "
			 "those "
			 "of this machine");
		return false;
	}
	if (out->value < c->least) {
		snprintf(why, room, "%s is counted by at least %" PRIu64, c->name,
			 c->least);
		return false;
	}
	out->type = c->type;
	out->config = c->config;
	out->no_kernel = mode[1] == 'u';
	out->no_user = mode[1] == 'k';
	return true;
}

static bool is_counted(const struct kernel_event *k, char *why, size_t room)
{
	const struct ring_event event = {k->type, k->config, k->value, k->no_user,
					 k->no_kernel};

	if (rings_can_count(&event))
		return true;
	snprintf(why, room, "%s",
		 errno == EACCES || errno == EPERM
			 ? "this user may not count"
			 : "this machine has no such counter");
	return false;
}

static void add(const struct provider *self, struct tracer *t, const char *name)
{
	probes_add(&t->probes, self, (const char *const[4]){self->name, "", "", name});
}

/* Those that are counted here, each with its usual count. field NULL: all. */
static void add_usual(const struct provider *self, struct tracer *t, const char *field)
{
	char name[64], ignored[128];

	for (size_t i = 0; i < ARRAY_LEN(counters); i++) {
		struct kernel_event k = {.name = NULL};

		snprintf(name, sizeof(name), "%s-all-%" PRIu64, counters[i].name,
			 counters[i].usual);
		if ((!field || match_field(field, name)) &&
		    take_apart(name, &k, ignored, sizeof(ignored)) &&
		    is_counted(&k, ignored, sizeof(ignored)))
			add(self, t, name);
	}
}

static void cpc_add_all(const struct provider *self, struct tracer *t)
{
	if (t->serves_machine)
		add_usual(self, t, NULL);
}

static int cpc_provide(const struct provider *self, struct tracer *t,
		       const struct dlang_probe_desc *desc, struct match *m,
		       struct err *e)
{
	const char *name = desc->field[3];
	struct kernel_event k = {.name = NULL};

	(void)e;
	if (!t->serves_machine || !*desc->field[0] ||
	    !glob_match(desc->field[0], self->name) || *desc->field[1] ||
	    *desc->field[2])
		return 0;
	if (!*name || strpbrk(name, "*?[\\"))
		add_usual(self, t, name);
	else if (take_apart(name, &k, m->hint, sizeof(m->hint)) &&
		 is_counted(&k, m->hint, sizeof(m->hint)))
		add(self, t, name);
	return 0;
}

static void cpc_source(const struct tracer *t, const struct probe *p,
		       struct provider_source *out)
{
	char ignored[128];

	out->by = SOURCE_EVENT;
	take_apart(probes_name(&t->probes, p, PROBE_NAME), &out->kernel, ignored,
		   sizeof(ignored));
}

const struct provider machine_cpc = {
	.name = "cpc",
	.contexts = CONTEXT_FRONT,
	.attributes = {"Evolving/Evolving/Common", "Private/Private/Unknown",
		       "Private/Private/Unknown", "Evolving/Evolving/CPU",
		       "Evolving/Evolving/Common"},
	.add_all = cpc_add_all,
	.provide = cpc_provide,
	.source = cpc_source,
};

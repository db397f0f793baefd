/* SPDX-License-Identifier: MIT */
/*
 * The providers sched and io: the scheduler and the disks, as the tracepoints of the
 * kernel tell. A table row says which event fires a probe, in which thread, and what its
 * arguments are.
 */
#include "tracer/providers/prov_kernel.h"
#include "tracer/base/core.h"
#include "vm/base/host/glob.h"

#include <string.h>

/* Another thread than the one that fires: arg0 its id, arg1 priority, arg2 name, arg3 its
 * process. */
static const struct provider_argument other[] = {{"lwpsinfo_t *", "kernel_lwp"},
						 {"psinfo_t *", "kernel_psinfo"}};
static const struct provider_argument request[] = {{"bufinfo_t *", "io_buffer"},
						   {"devinfo_t *", "io_device"},
						   {"fileinfo_t *", "io_file"}};

#define NEXT                                                                           \
	{                                                                              \
		{"next_pid", 0, KERNEL_VALUE}, {"next_prio", 0, KERNEL_VALUE},         \
			{"next_comm", 0, KERNEL_VALUE},                                \
		{                                                                      \
			"next_pid", 0, KERNEL_PROCESS                                  \
		}                                                                      \
	}

/* The states of include/linux/sched.h in which a thread does not run on. */
#define SLEEPS 0xff

static const struct kernel_view off_cpu = {.args = NEXT};
static const struct kernel_view on_cpu = {.thread = "next_pid"};
static const struct kernel_view sleeping = {.truth = "prev_state", .mask = SLEEPS};
static const struct kernel_view woken = {
	.args = {{"pid", 0, KERNEL_VALUE},
		 {"prio", 0, KERNEL_VALUE},
		 {"comm", 0, KERNEL_VALUE},
		 {"pid", 0, KERNEL_PROCESS}},
};
static const struct kernel_view issued = {
	.args = {{"dev", 0, KERNEL_VALUE},
		 {"sector", 0, KERNEL_VALUE},
		 {"bytes", 0, KERNEL_VALUE},
		 {"rwbs", 0, KERNEL_VALUE},
		 {"dev", 0, KERNEL_DEVICE}},
};
static const struct kernel_view completed = {
	.args = {{"dev", 0, KERNEL_VALUE},
		 {"sector", 0, KERNEL_VALUE},
		 {NULL, 0, KERNEL_VALUE},
		 {"rwbs", 0, KERNEL_VALUE},
		 {"dev", 0, KERNEL_DEVICE},
		 {"nr_sector", 0, KERNEL_VALUE},
		 {"error", 0, KERNEL_VALUE}},
};

static const struct row {
	const struct provider *provider;
	const char *name;
	struct kernel_event event;
	const struct provider_argument *first;
	uint32_t count;
} rows[] = {
	{&prov_sched, "off-cpu", {"sched", "sched_switch", 0, &off_cpu}, other, 2},
	{&prov_sched, "on-cpu", {"sched", "sched_switch", 0, &on_cpu}, NULL, 0},
	{&prov_sched, "sleep", {"sched", "sched_switch", 1, &sleeping}, NULL, 0},
	{&prov_sched, "preempt", {"sched", "sched_switch", 0, &sleeping}, NULL, 0},
	{&prov_sched, "wakeup", {"sched", "sched_wakeup", 0, &woken}, other, 2},
	{&prov_io, "start", {"block", "block_rq_issue", 0, &issued}, request, 3},
	{&prov_io, "done", {"block", "block_rq_complete", 0, &completed}, request, 3},
};

static const struct row *row_of(const struct probes *ps, const struct probe *p)
{
	const char *name = probes_name(ps, p, PROBE_NAME);
	size_t i = 0;

	while (rows[i].provider != p->provider || strcmp(rows[i].name, name) != 0)
		i++; /* each probe was made from a row */
	return &rows[i];
}

static void kernel_source(const struct tracer *t, const struct probe *p,
			  struct provider_source *out)
{
	out->by = SOURCE_EVENT;
	out->kernel = row_of(&t->probes, p)->event;
}

static void kernel_arguments(const struct probes *ps, const struct probe *p,
			     struct provider_arguments *out)
{
	const struct row *row = row_of(ps, p);

	out->n = row->count;
	if (row->count)
		memcpy(out->list, row->first, row->count * sizeof(*row->first));
}

/* field NULL: all of the provider. */
static void add(const struct provider *self, struct tracer *t, const char *field)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].provider == self &&
		    (!field || match_field(field, rows[i].name)))
			probes_add(&t->probes, self,
				   (const char *const[4]){self->name, "", "",
							  rows[i].name});
}

static void kernel_add_all(const struct provider *self, struct tracer *t)
{
	if (t->serves_machine)
		add(self, t, NULL);
}

static int kernel_provide(const struct provider *self, struct tracer *t,
			  const struct dlang_probe_desc *desc, struct match *m,
			  struct err *e)
{
	(void)m;
	(void)e;
	if (t->serves_machine && *desc->field[0] &&
	    glob_match(desc->field[0], self->name) && !*desc->field[1] &&
	    !*desc->field[2])
		add(self, t, desc->field[3]);
	return 0;
}

#define KERNEL_PROVIDER(text)                                                          \
	{                                                                              \
		.name = text, .contexts = CONTEXT_FRONT,                               \
		.attributes = {"Evolving/Evolving/ISA", "Private/Private/Unknown",     \
			       "Private/Private/Unknown", "Evolving/Evolving/ISA",     \
			       "Evolving/Evolving/ISA"},                               \
		.add_all = kernel_add_all, .provide = kernel_provide,                  \
		.arguments = kernel_arguments, .source = kernel_source,                \
	}

const struct provider prov_sched = KERNEL_PROVIDER("sched");
const struct provider prov_io = KERNEL_PROVIDER("io");

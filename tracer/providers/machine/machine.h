/* SPDX-License-Identifier: MIT */
/*
 * Providers of the machine: what the kernel does, as its tracepoints tell. Each is a
 * table. A row says which events fire a probe, in which thread, and what its arguments
 * are; or why there is no such probe, where DTrace has one.
 */
#ifndef TRACER_PROVIDERS_MACHINE_MACHINE_H
#define TRACER_PROVIDERS_MACHINE_MACHINE_H

#include "tracer/base/provider.h"
#include "vm/base/base.h"

struct machine_row {
	const char *name;
	const struct kernel_event *event; /* NULL: refused */
	const struct provider_argument *first;
	uint32_t count;
	const char *why; /* of a refused one; of others NULL */
};

struct machine_provider {
	struct provider provider;
	const struct machine_row *rows;
	size_t n;
};

/* In the order of their names. */
extern const struct machine_provider machine_fsinfo, machine_io, machine_ip,
	machine_irq, machine_library, machine_module, machine_pf, machine_sched,
	machine_sysinfo, machine_tcp, machine_udp, machine_vminfo;

/* Its probes are counters, not rows. */
extern const struct provider machine_cpc;

/* The members of struct provider. */
void machine_add_all(const struct provider *self, struct tracer *t);
int machine_provide(const struct provider *self, struct tracer *t,
		    const struct dlang_probe_desc *desc, struct match *m,
		    struct err *e);
void machine_arguments(const struct probes *ps, const struct probe *p,
		       struct provider_arguments *out);
void machine_source(const struct tracer *t, const struct probe *p,
		    struct provider_source *out);

/* One line of a file of these: the table rows. */
#define MACHINE_PROVIDER(text)                                                         \
	const struct machine_provider machine_##text = {                               \
		{                                                                      \
			.name = #text,                                                 \
			.contexts = CONTEXT_FRONT,                                     \
			.attributes = {"Evolving/Evolving/ISA",                        \
				       "Private/Private/Unknown",                      \
				       "Private/Private/Unknown",                      \
				       "Evolving/Evolving/ISA",                        \
				       "Evolving/Evolving/ISA"},                       \
			.add_all = machine_add_all,                                    \
			.provide = machine_provide,                                    \
			.arguments = machine_arguments,                                \
			.source = machine_source,                                      \
		},                                                                     \
		rows,                                                                  \
		ARRAY_LEN(rows)}

/* Addresses of events. The last one: another event, that fires the probe as well. */
#define MACHINE_EVENT(of, text, as)                                                    \
	(&(const struct kernel_event){.system = (of), .name = (text), .view = (as)})
#define MACHINE_EVENT_AND(of, text, as, other)                                         \
	(&(const struct kernel_event){                                                 \
		.system = (of), .name = (text), .view = (as), .also = (other)})

/* Of a table of arguments. */
#define MACHINE_ARGS(table) (table), ARRAY_LEN(table), NULL
#define MACHINE_NO_ARGS	    NULL, 0, NULL

#define MACHINE_REFUSED(name, why)                                                     \
	{                                                                              \
		(name), NULL, NULL, 0, (why)                                           \
	}

/* A field as it is. */
#define MACHINE_FIELD(name)                                                            \
	{                                                                              \
		(name), 0, KERNEL_VALUE                                                \
	}
#define MACHINE_ONE                                                                    \
	{                                                                              \
		NULL, 0, KERNEL_ONE                                                    \
	}
#define MACHINE_SIGN (UINT64_C(1) << 63)

#endif

/* SPDX-License-Identifier: MIT */
#include "tracer/providers/providers.h"
#include "tracer/base/core.h"
#include "tracer/providers/machine/machine.h"
#include "tracer/providers/prov_diag.h"
#include "tracer/providers/prov_dtrace.h"
#include "tracer/providers/prov_hwconfig.h"
#include "tracer/providers/prov_pid.h"
#include "tracer/providers/prov_proc.h"
#include "tracer/providers/prov_profile.h"
#include "tracer/providers/prov_sdt.h"
#include "tracer/providers/prov_syscall.h"
#include "tracer/usdt/usdt.h"

/* In the order in which they see a description. The order of init() fixes probe ids. */
static const struct provider *const all[] = {
	&prov_dtrace,
	&prov_profile,
	&prov_pid,
	&prov_fpid,
	&prov_proc,
	&prov_syscall,
	&prov_diag,
	&prov_usdt,
	&prov_sdt,
	&machine_sched.provider,
	&machine_io.provider,
	&machine_tcp.provider,
	&machine_udp.provider,
	&machine_ip.provider,
	&machine_irq.provider,
	&machine_pf.provider,
	&machine_vminfo.provider,
	&machine_sysinfo.provider,
	&machine_fsinfo.provider,
	&machine_module.provider,
	&machine_library.provider,
	&machine_cpc,
	&prov_hwconfig,
};

void providers_init(struct tracer *t)
{
	t->providers = all;
	t->nproviders = ARRAY_LEN(all);
	for (size_t i = 0; i < t->nproviders; i++)
		if (all[i]->init)
			all[i]->init(all[i], t);
}

void providers_add_all(struct tracer *t)
{
	for (size_t i = 0; i < t->nproviders; i++)
		if (t->providers[i]->add_all)
			t->providers[i]->add_all(t->providers[i], t);
}

/* SPDX-License-Identifier: MIT */
/* The provider pf: page faults. */
#include "tracer/providers/machine/machine.h"

static const struct kernel_view fault = {.args = {MACHINE_FIELD("address"),
						  MACHINE_FIELD("ip"),
						  MACHINE_FIELD("error_code")}};

/* The address, where the processor was, and the bits of the processor's reason. */
static const struct provider_argument reason[] = {
	{"uintptr_t", NULL}, {"uintptr_t", NULL}, {"uint64_t", NULL}};

static const struct machine_row rows[] = {
	{"user", MACHINE_EVENT("exceptions", "page_fault_user", &fault),
	 MACHINE_ARGS(reason)},
	{"kernel", MACHINE_EVENT("exceptions", "page_fault_kernel", &fault),
	 MACHINE_ARGS(reason)},
};

MACHINE_PROVIDER(pf);

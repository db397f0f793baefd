/* SPDX-License-Identifier: MIT */
/* The provider module: modules of the kernel. */
#include "tracer/providers/machine/machine.h"

static const struct kernel_view named = {.args = {MACHINE_FIELD("name")}};
static const struct provider_argument name[] = {{"string", "kernel_module_name"}};

static const struct machine_row rows[] = {
	{"load", MACHINE_EVENT("module", "module_load", &named), MACHINE_ARGS(name)},
	{"unload", MACHINE_EVENT("module", "module_free", &named), MACHINE_ARGS(name)},
};

MACHINE_PROVIDER(module);

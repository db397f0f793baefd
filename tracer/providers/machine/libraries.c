/* SPDX-License-Identifier: MIT */
/*
 * The provider library: files that processes map as code. It is to processes what the
 * provider module is to the kernel, and has its names, so that who knows one finds the
 * other: module:::load, library:::load. It is not proc:::library-load: the probes of proc
 * that a traced process fires stop it, for any user, and are about processes and threads
 * as a whole; these come from the kernel's events, as all of this folder do.
 */
#include "tracer/events/mapping_event.h"
#include "tracer/providers/machine/machine.h"

static const struct kernel_view mapped = {
	.args = {MACHINE_FIELD("filename"), MACHINE_FIELD("address"),
		 MACHINE_FIELD("length"), MACHINE_FIELD("offset")}};

static const struct provider_argument file[] = {{"string", "kernel_module_name"},
						{"uintptr_t", NULL},
						{"uint64_t", NULL},
						{"uint64_t", NULL}};

static const struct machine_row rows[] = {
	{"load", MACHINE_EVENT(MAPPING_SYSTEM, MAPPING_NAME, &mapped),
	 MACHINE_ARGS(file)},
	MACHINE_REFUSED("unload", "no event of the kernel tells of it: "
				  "syscall::munmap:entry has the calls"),
};

MACHINE_PROVIDER(library);

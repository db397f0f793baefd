/* SPDX-License-Identifier: MIT */
/* The provider io: requests of disks. */
#include "tracer/providers/machine/machine.h"

static const struct provider_argument request[] = {{"bufinfo_t *", "io_buffer"},
						   {"devinfo_t *", "io_device"},
						   {"fileinfo_t *", "io_file"}};

static const struct kernel_view issued = {
	.args = {MACHINE_FIELD("dev"),
		 MACHINE_FIELD("sector"),
		 MACHINE_FIELD("bytes"),
		 MACHINE_FIELD("rwbs"),
		 {"dev", 0, KERNEL_DEVICE}},
};
static const struct kernel_view completed = {
	.args = {MACHINE_FIELD("dev"),
		 MACHINE_FIELD("sector"),
		 MACHINE_FIELD(NULL),
		 MACHINE_FIELD("rwbs"),
		 {"dev", 0, KERNEL_DEVICE},
		 MACHINE_FIELD("nr_sector"),
		 MACHINE_FIELD("error")},
};

static const char no_wait[] = "no event of the kernel tells that a thread waits for a "
			      "disk: sched:::sleep with stack() has where it does";

static const struct machine_row rows[] = {
	{"start", MACHINE_EVENT("block", "block_rq_issue", &issued),
	 MACHINE_ARGS(request)},
	{"done", MACHINE_EVENT("block", "block_rq_complete", &completed),
	 MACHINE_ARGS(request)},
	MACHINE_REFUSED("wait-start", no_wait),
	MACHINE_REFUSED("wait-done", no_wait),
};

MACHINE_PROVIDER(io);

/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/os/runtime.h"
#include "tracer/keeper/os/procfs.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

int runtime_counter(int tid)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_TASK_CLOCK,
		/* without these perf_event_paranoid 2 refuses; the clock counts both */
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, tid, -1, -1,
			    PERF_FLAG_FD_CLOEXEC);
}

bool runtime_read(int counter, int tid, uint64_t *ns)
{
	if (counter >= 0)
		return read(counter, ns, sizeof(*ns)) == sizeof(*ns);
	return procfs_runtime(tid, ns) == 0;
}

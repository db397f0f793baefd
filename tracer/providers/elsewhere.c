/* SPDX-License-Identifier: MIT */
#include "tracer/providers/elsewhere.h"
#include "vm/base/base.h"

#include <string.h>

/* clang-format off */
static const char files[] =
	"dtrace sees processes, not disks: syscall::read:, syscall::write: and the like, "
	"with fds[arg0].fi_pathname; for root, with /sys/kernel/tracing mounted, io::: "
	"and fsinfo::: have the machine's";
static const char kernel[] =
	"dtrace sees processes, not the kernel: syscall::: has their system calls, "
	"pid$target::: their functions";
static const char sockets[] =
	"dtrace sees processes, not packets: syscall::connect:, syscall::accept*:, "
	"syscall::send*: and syscall::recv*:; for root, with /sys/kernel/tracing "
	"mounted, tcp:::, udp::: and ip::: have the machine's";
static const char running[] =
	"dtrace sees processes, not the scheduler: profile-N samples threads that run, "
	"vtimestamp is how long one ran, syscall::: has where they sleep; for root, with "
	"/sys/kernel/tracing mounted, sched::: has the machine's";
static const char memory[] =
	"dtrace sees processes, not the kernel's memory: syscall::mmap:, syscall::brk:, "
	"proc:::fault, pid$target:libc:malloc:; for root, with /sys/kernel/tracing "
	"mounted, pf::: and vminfo::: have the machine's";
static const char counts[] =
	"dtrace sees processes, not the kernel's counters: syscall::: and proc::: have "
	"their events; for root, with /sys/kernel/tracing mounted, sysinfo::: has the "
	"machine's";
static const char interrupts[] =
	"dtrace sees processes, not interrupts; for root, with /sys/kernel/tracing "
	"mounted, irq::: has the machine's";
static const char libraries[] =
	"pid$target:LIBRARY:: has the functions of a process's libraries; for root, with "
	"/sys/kernel/tracing mounted, library:::load has those that any process loads";
static const char locks[] =
	"for locks of a program: pid$target::pthread_mutex_lock:, syscall::futex:";
static const char counters[] =
	"counters are read for root, with /sys/kernel/tracing mounted; profile-N samples "
	"by time";
/* clang-format on */

const char *elsewhere_hint(const char *provider)
{
	static const struct {
		const char *provider, *hint;
	} rows[] = {
		{"io", files},		{"fsinfo", files},    {"vfs", files},
		{"nfs", files},		{"nfsv3", files},     {"nfsv4", files},
		{"fbt", kernel},	{"rawfbt", kernel},   {"rawtp", kernel},
		{"ip", sockets},	{"tcp", sockets},     {"udp", sockets},
		{"udplite", sockets},	{"sctp", sockets},    {"mib", sockets},
		{"sched", running},	{"vminfo", memory},   {"sysinfo", counts},
		{"pf", memory},		{"irq", interrupts},  {"module", kernel},
		{"lockstat", locks},	{"plockstat", locks}, {"cpc", counters},
		{"library", libraries},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (strcmp(rows[i].provider, provider) == 0)
			return rows[i].hint;
	return NULL;
}

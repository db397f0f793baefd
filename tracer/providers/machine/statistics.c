/* SPDX-License-Identifier: MIT */
/* The provider sysinfo: what counts in the kernel's statistics. */
#include "tracer/providers/machine/machine.h"

/* include/uapi/linux/sched.h */
#define CLONE_VFORK_BIT	 0x4000
#define CLONE_THREAD_BIT 0x10000

/* The states of include/linux/sched.h in which a thread does not run on. */
#define SLEEPS 0xff

static const struct kernel_view once = {.args = {MACHINE_ONE}};
static const struct kernel_view forked = {
	.conditions = {{"clone_flags", KERNEL_NO_BIT,
			CLONE_THREAD_BIT | CLONE_VFORK_BIT}},
	.args = {MACHINE_ONE}};
static const struct kernel_view vforked = {
	.conditions = {{"clone_flags", KERNEL_NO_BIT, CLONE_THREAD_BIT},
		       {"clone_flags", KERNEL_ANY_BIT, CLONE_VFORK_BIT}},
	.args = {MACHINE_ONE}};
static const struct kernel_view thread = {
	.conditions = {{"clone_flags", KERNEL_ANY_BIT, CLONE_THREAD_BIT}},
	.args = {MACHINE_ONE}};
static const struct kernel_view involuntary = {
	.conditions = {{"prev_state", KERNEL_NO_BIT, SLEEPS}}, .args = {MACHINE_ONE}};
static const struct kernel_view bytes = {
	.conditions = {{"ret", KERNEL_NO_BIT, MACHINE_SIGN}},
	.args = {MACHINE_FIELD("ret")}};
/* The first letter of what is asked of the disk. */
static const struct kernel_view disk_read = {.conditions = {{"rwbs", KERNEL_IS, 'R'}},
					     .args = {MACHINE_ONE}};
static const struct kernel_view disk_write = {.conditions = {{"rwbs", KERNEL_IS, 'W'}},
					      .args = {MACHINE_ONE}};

#define CALL(name, view, other) MACHINE_EVENT_AND("syscalls", name, view, other)
#define READS(when, view)                                                              \
	CALL(when "read", view,                                                        \
	     CALL(when "readv", view,                                                  \
		  CALL(when "pread64", view,                                           \
		       CALL(when "preadv", view, CALL(when "preadv2", view, NULL)))))
#define WRITES(when, view)                                                             \
	CALL(when "write", view,                                                       \
	     CALL(when "writev", view,                                                 \
		  CALL(when "pwrite64", view,                                          \
		       CALL(when "pwritev", view,                                      \
			    CALL(when "pwritev2", view, NULL)))))

static const struct provider_argument increment[] = {{"uint64_t", NULL}};

static const char no_event[] = "no event of the kernel tells of it",
		  no_time[] = "times of processors are no events: profile-97 fires on "
			      "every processor";

static const struct machine_row rows[] = {
	{"pswitch", MACHINE_EVENT("sched", "sched_switch", &once),
	 MACHINE_ARGS(increment)},
	{"inv_swtch", MACHINE_EVENT("sched", "sched_switch", &involuntary),
	 MACHINE_ARGS(increment)},
	{"sysfork", MACHINE_EVENT("task", "task_newtask", &forked),
	 MACHINE_ARGS(increment)},
	{"sysvfork", MACHINE_EVENT("task", "task_newtask", &vforked),
	 MACHINE_ARGS(increment)},
	{"nthreads", MACHINE_EVENT("task", "task_newtask", &thread),
	 MACHINE_ARGS(increment)},
	{"sysexec",
	 CALL("sys_enter_execve", &once, CALL("sys_enter_execveat", &once, NULL)),
	 MACHINE_ARGS(increment)},
	{"sysread", READS("sys_enter_", &once), MACHINE_ARGS(increment)},
	{"syswrite", WRITES("sys_enter_", &once), MACHINE_ARGS(increment)},
	{"readch", READS("sys_exit_", &bytes), MACHINE_ARGS(increment)},
	{"writech", WRITES("sys_exit_", &bytes), MACHINE_ARGS(increment)},
	{"bread", MACHINE_EVENT("block", "block_rq_issue", &disk_read),
	 MACHINE_ARGS(increment)},
	{"bwrite", MACHINE_EVENT("block", "block_rq_issue", &disk_write),
	 MACHINE_ARGS(increment)},
	{"xcalls", MACHINE_EVENT("csd", "csd_queue_cpu", &once),
	 MACHINE_ARGS(increment)},
	MACHINE_REFUSED("cpu_ticks_idle", no_time),
	MACHINE_REFUSED("cpu_ticks_kernel", no_time),
	MACHINE_REFUSED("cpu_ticks_user", no_time),
	MACHINE_REFUSED("cpu_ticks_wait", no_time),
	MACHINE_REFUSED("bawrite", no_event),
	MACHINE_REFUSED("idlethread", no_event),
	MACHINE_REFUSED("intrblk", no_event),
	MACHINE_REFUSED("lread", no_event),
	MACHINE_REFUSED("lwrite", no_event),
	MACHINE_REFUSED("msg", no_event),
	MACHINE_REFUSED("mutex_adenters", no_event),
	MACHINE_REFUSED("namei", no_event),
	MACHINE_REFUSED("phread", no_event),
	MACHINE_REFUSED("phwrite", no_event),
	MACHINE_REFUSED("procovf", no_event),
	MACHINE_REFUSED("rw_rdfails", no_event),
	MACHINE_REFUSED("rw_wrfails", no_event),
	MACHINE_REFUSED("sema", no_event),
	MACHINE_REFUSED("trap", no_event),
};

MACHINE_PROVIDER(sysinfo);

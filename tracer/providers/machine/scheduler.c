/* SPDX-License-Identifier: MIT */
/* The provider sched. */
#include "tracer/providers/machine/machine.h"

/*
 * Another thread than the one that fires: arg0 its id, arg1 priority, arg2 name, arg3 its
 * process, arg4 the processor.
 */
static const struct provider_argument other[] = {{"lwpsinfo_t *", "kernel_lwp"},
						 {"psinfo_t *", "kernel_psinfo"}};
static const struct provider_argument queued[] = {{"lwpsinfo_t *", "kernel_lwp"},
						  {"psinfo_t *", "kernel_psinfo"},
						  {"cpuinfo_t *", "kernel_cpu"}};
static const struct provider_argument priority[] = {{"lwpsinfo_t *", "kernel_lwp"},
						    {"psinfo_t *", "kernel_psinfo"},
						    {"int", "kernel_priority"}};

/* The fields of a thread: "next_pid" ... */
#define THREAD(id, priority, name)                                                     \
	{(id), 0, KERNEL_VALUE}, {(priority), 0, KERNEL_VALUE},                        \
		{(name), 0, KERNEL_VALUE},                                             \
	{                                                                              \
		(id), 0, KERNEL_PROCESS                                                \
	}

/* The states of include/linux/sched.h in which a thread does not run on. */
#define SLEEPS 0xff
#define ALL    UINT64_MAX

static const struct kernel_view off_cpu = {
	.args = {THREAD("next_pid", "next_prio", "next_comm")}};
static const struct kernel_view on_cpu = {.thread = "next_pid"};
static const struct kernel_view sleeping = {
	.conditions = {{"prev_state", KERNEL_ANY_BIT, SLEEPS}}};
static const struct kernel_view preempted = {
	.conditions = {{"prev_state", KERNEL_NO_BIT, SLEEPS}}};
static const struct kernel_view woken = {.args = {THREAD("pid", "prio", "comm")}};

/* Thread 0 is that of an idle processor: it waits in no queue. */
static const struct kernel_view woken_to = {
	.args = {THREAD("pid", "prio", "comm"), {"target_cpu", 0, KERNEL_VALUE}}};
static const struct kernel_view put_back = {
	.conditions = {{"prev_state", KERNEL_NO_BIT, SLEEPS},
		       {"prev_pid", KERNEL_ANY_BIT, ALL}},
	.args = {THREAD("prev_pid", "prev_prio", "prev_comm"),
		 {"common_pid", 0, KERNEL_CPU}}};
static const struct kernel_view taken = {
	.conditions = {{"next_pid", KERNEL_ANY_BIT, ALL}},
	.args = {THREAD("next_pid", "next_prio", "next_comm"),
		 {"common_pid", 0, KERNEL_CPU}}};
static const struct kernel_view inherited = {
	.args = {THREAD("pid", "oldprio", "comm"), {"newprio", 0, KERNEL_VALUE}}};

#define SWITCH(view) MACHINE_EVENT("sched", "sched_switch", view)

static const char no_quota[] = "no event of the kernel tells of limits of processors",
		  no_schedctl[] = "Linux has no schedctl";

static const struct machine_row rows[] = {
	{"off-cpu", SWITCH(&off_cpu), MACHINE_ARGS(other)},
	{"on-cpu", SWITCH(&on_cpu), MACHINE_NO_ARGS},
	{"sleep", SWITCH(&sleeping), MACHINE_NO_ARGS},
	{"preempt", SWITCH(&preempted), MACHINE_NO_ARGS},
	{"wakeup", MACHINE_EVENT("sched", "sched_wakeup", &woken), MACHINE_ARGS(other)},
	{"enqueue",
	 MACHINE_EVENT_AND("sched", "sched_wakeup", &woken_to,
			   MACHINE_EVENT_AND("sched", "sched_wakeup_new", &woken_to,
					     SWITCH(&put_back))),
	 MACHINE_ARGS(queued)},
	{"dequeue", SWITCH(&taken), MACHINE_ARGS(queued)},
	{"change-pri", MACHINE_EVENT("sched", "sched_pi_setprio", &inherited),
	 MACHINE_ARGS(priority)},
	MACHINE_REFUSED("tick", "no event of the kernel tells of a tick: profile-100 "
				"fires on every processor"),
	MACHINE_REFUSED("remain-cpu", "no event of the kernel tells that a thread "
				      "stays on its processor"),
	MACHINE_REFUSED("surrender", "no event of the kernel tells that a processor is "
				     "to choose another thread: preempt fires when it "
				     "does"),
	MACHINE_REFUSED("cpucaps-sleep", no_quota),
	MACHINE_REFUSED("cpucaps-wakeup", no_quota),
	MACHINE_REFUSED("schedctl-nopreempt", no_schedctl),
	MACHINE_REFUSED("schedctl-preempt", no_schedctl),
	MACHINE_REFUSED("schedctl-yield", no_schedctl),
};

MACHINE_PROVIDER(sched);

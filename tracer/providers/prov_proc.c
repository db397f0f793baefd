/* SPDX-License-Identifier: MIT */
/*
 * The proc provider: events of traced processes and threads. The keeper fires them at
 * stops that it has anyway: exec and exec-failure at system calls, exit and lwp-exit at
 * the ends of threads.
 */
#include "tracer/providers/prov_proc.h"
#include "tracer/base/core.h"

#include <signal.h>
#include <string.h>

static const char *const names[] = {
#define PROC_NAME(name, text) [KEEPER_PROC_##name] = text,
	KEEPER_PROCS(PROC_NAME)
#undef PROC_NAME
};

/* The enum keeper_proc of a probe's name. */
static uint64_t number_of(const char *name)
{
	uint64_t i = 0;

	while (i < ARRAY_LEN(names) && strcmp(names[i], name) != 0)
		i++;
	return i;
}

static const struct provider_argument child[] = {{"psinfo_t *", "proc_child"}},
				      path[] = {{"string", "proc_path"}},
				      number[] = {{"int", NULL}},
				      fault[] = {{"int", NULL},
						 {"siginfo_t *", "proc_siginfo"}},
				      thread[] = {{"lwpsinfo_t *", "proc_lwp"},
						  {"psinfo_t *", "curpsinfo"}},
				      sent[] = {{"lwpsinfo_t *", "curlwpsinfo"},
						{"psinfo_t *", "curpsinfo"},
						{"int", NULL},
						{"pid_t", NULL}},
				      handled[] = {{"int", NULL},
						   {"uintptr_t", NULL},
						   {"uintptr_t", NULL}};

/*
 * A signal is sent to the thread that fires, by the process args[3]; a new thread belongs
 * to its process.
 */
static const struct {
	const struct provider_argument *first;
	uint32_t count;
} arguments[KEEPER_PROC_COUNT] = {
	[KEEPER_PROC_CREATE] = {child, ARRAY_LEN(child)},
	[KEEPER_PROC_EXEC] = {path, ARRAY_LEN(path)},
	[KEEPER_PROC_EXEC_FAILURE] = {number, ARRAY_LEN(number)},
	[KEEPER_PROC_EXIT] = {number, ARRAY_LEN(number)},
	[KEEPER_PROC_FAULT] = {fault, ARRAY_LEN(fault)},
	[KEEPER_PROC_LWP_CREATE] = {thread, ARRAY_LEN(thread)},
	[KEEPER_PROC_SIGNAL_SEND] = {sent, ARRAY_LEN(sent)},
	[KEEPER_PROC_SIGNAL_CLEAR] = {number, ARRAY_LEN(number)},
	[KEEPER_PROC_SIGNAL_DISCARD] = {sent, ARRAY_LEN(sent)},
	[KEEPER_PROC_SIGNAL_HANDLE] = {handled, ARRAY_LEN(handled)},
};

static void proc_arguments(const struct probes *ps, const struct probe *p,
			   struct provider_arguments *out)
{
	uint64_t i = number_of(probes_name(ps, p, PROBE_NAME));

	if (i >= ARRAY_LEN(arguments) || !arguments[i].first)
		return;
	out->n = arguments[i].count;
	memcpy(out->list, arguments[i].first, out->n * sizeof(*out->list));
}

#define CLONE_THREAD_BIT 0x10000	/* include/uapi/linux/sched.h */
#define HANDLED		 (~UINT64_C(1)) /* of sa_handler: neither SIG_DFL nor SIG_IGN */

#define SIGN	   (UINT64_C(1) << 63)
#define IS_IGNORED 1 /* TRACE_SIGNAL_IGNORED of include/trace/events/signal.h */

#define IS_PROCESS                                                                     \
	{                                                                              \
		"clone_flags", KERNEL_NO_BIT, CLONE_THREAD_BIT                         \
	}
#define IS_THREAD                                                                      \
	{                                                                              \
		"clone_flags", KERNEL_ANY_BIT, CLONE_THREAD_BIT                        \
	}

static const struct kernel_view new_process = {.conditions = {IS_PROCESS},
					       .args = {{"pid", 0, KERNEL_VALUE}}};
static const struct kernel_view new_thread = {.conditions = {IS_THREAD},
					      .args = {{"pid", 0, KERNEL_VALUE}}};
static const struct kernel_view process_starts = {.conditions = {IS_PROCESS},
						  .thread = "pid"};
static const struct kernel_view thread_starts = {.conditions = {IS_THREAD},
						 .thread = "pid"};
static const struct kernel_view last_exit = {
	.conditions = {{"group_dead", KERNEL_ANY_BIT, 1}}};
static const struct kernel_view any = {.match = NULL};
static const struct kernel_view executing = {.args = {{"filename", 0, KERNEL_VALUE}}};
static const struct kernel_view failed = {.conditions = {{"ret", KERNEL_ANY_BIT, SIGN}},
					  .args = {{"ret", 0, KERNEL_NEGATED}}};
static const struct kernel_view taken = {
	.conditions = {{"ret", KERNEL_NO_BIT, SIGN}, {"ret", KERNEL_ANY_BIT, ~SIGN}},
	.args = {{"ret", 0, KERNEL_VALUE}}};

#define OF_SIGNAL                                                                      \
	{                                                                              \
		{NULL, 0, KERNEL_VALUE}, {NULL, 0, KERNEL_VALUE},                      \
			{"sig", 0, KERNEL_VALUE},                                      \
		{                                                                      \
			"common_pid", 0, KERNEL_PROCESS                                \
		}                                                                      \
	}
static const struct kernel_view signalled = {.thread = "pid", .args = OF_SIGNAL};
static const struct kernel_view discarded = {
	.conditions = {{"result", KERNEL_IS, IS_IGNORED}},
	.thread = "pid",
	.args = OF_SIGNAL,
};
/* Of the kernel itself (code > 0), not sent by a process. */
#define FAULTS (1 << SIGILL | 1 << SIGTRAP | 1 << SIGBUS | 1 << SIGFPE | 1 << SIGSEGV)
static const struct kernel_view faulted = {
	.conditions = {{"sig", KERNEL_ONE_OF, FAULTS},
		       {"code", KERNEL_NO_BIT, SIGN},
		       {"code", KERNEL_ANY_BIT, ~SIGN}},
	.thread = "pid",
	.args = {{"sig", 0, KERNEL_FAULT},
		 {"sig", 0, KERNEL_VALUE},
		 {"code", 0, KERNEL_VALUE}},
};
static const struct kernel_view handling = {
	.conditions = {{"sa_handler", KERNEL_ANY_BIT, HANDLED}},
	.args = {{"sig", 0, KERNEL_VALUE},
		 {NULL, 0, KERNEL_VALUE},
		 {"sa_handler", 0, KERNEL_VALUE}},
};

static const struct kernel_event other_call = {
	.system = "syscalls", .name = "sys_exit_execveat", .view = &failed};

#define EVENT(system_, name_, view_)                                                   \
	{                                                                              \
		.system = (system_), .name = (name_), .view = (view_)                  \
	}

/* Of the whole machine. */
static const struct kernel_event of_machine[KEEPER_PROC_COUNT] = {
	[KEEPER_PROC_CREATE] = EVENT("task", "task_newtask", &new_process),
	[KEEPER_PROC_START] = EVENT("task", "task_newtask", &process_starts),
	[KEEPER_PROC_LWP_CREATE] = EVENT("task", "task_newtask", &new_thread),
	[KEEPER_PROC_LWP_START] = EVENT("task", "task_newtask", &thread_starts),
	[KEEPER_PROC_EXEC] = EVENT("sched", "sched_prepare_exec", &executing),
	[KEEPER_PROC_EXEC_SUCCESS] = EVENT("sched", "sched_process_exec", &any),
	[KEEPER_PROC_EXEC_FAILURE] = {.system = "syscalls",
				      .name = "sys_exit_execve",
				      .view = &failed,
				      .also = &other_call},
	[KEEPER_PROC_EXIT] = EVENT("sched", "sched_process_exit", &last_exit),
	[KEEPER_PROC_LWP_EXIT] = EVENT("sched", "sched_process_exit", &any),
	[KEEPER_PROC_SIGNAL_SEND] = EVENT("signal", "signal_generate", &signalled),
	[KEEPER_PROC_SIGNAL_DISCARD] = EVENT("signal", "signal_generate", &discarded),
	[KEEPER_PROC_SIGNAL_HANDLE] = EVENT("signal", "signal_deliver", &handling),
	[KEEPER_PROC_FAULT] = EVENT("signal", "signal_generate", &faulted),
	[KEEPER_PROC_SIGNAL_CLEAR] =
		EVENT("syscalls", "sys_exit_rt_sigtimedwait", &taken),
};

static void proc_source(const struct tracer *t, const struct probe *p,
			struct provider_source *out)
{
	uint64_t i = number_of(probes_name(&t->probes, p, PROBE_NAME));

	if (t->serves_machine && t->targets.len == 0 && i < ARRAY_LEN(of_machine) &&
	    of_machine[i].name) {
		out->by = SOURCE_EVENT;
		out->kernel = of_machine[i];
		return;
	}
	out->by = SOURCE_KEEPER;
	out->event.kind = KEEPER_SITELESS_PROC;
	out->event.value = i;
}

static void add(const struct provider *self, struct tracer *t, const char *name)
{
	probes_add(&t->probes, self, (const char *const[4]){self->name, "", "", name});
}

static void proc_add_all(const struct provider *self, struct tracer *t)
{
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		add(self, t, names[i]);
}

static int proc_provide(const struct provider *self, struct tracer *t,
			const struct dlang_probe_desc *desc, struct match *m,
			struct err *e)
{
	(void)m;
	(void)e;
	if (!match_field(desc->field[0], self->name) || *desc->field[1] ||
	    *desc->field[2])
		return 0;
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (match_field(desc->field[3], names[i]))
			add(self, t, names[i]);
	return 0;
}

const struct provider prov_proc = {
	.name = "proc",
	.contexts = CONTEXT_KEEPER | CONTEXT_FRONT,
	.attributes = {"Evolving/Evolving/ISA", "Private/Private/Unknown",
		       "Private/Private/Unknown", "Evolving/Evolving/ISA",
		       "Evolving/Evolving/ISA"},
	.needs_process = true,
	.may_be_machine = true,
	.add_all = proc_add_all,
	.provide = proc_provide,
	.arguments = proc_arguments,
	.source = proc_source,
};

/* SPDX-License-Identifier: MIT */
/*
 * The front as a home of the machine: BEGIN, END, ERROR and tick clauses run
 * here. The process they describe is dtrace itself; there is no target
 * thread, so target memory is a bad address.
 */
#include "tracer/trace.h"
#include "vm/base/host/procinfo.h"
#include "vm/base/status.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * UINT64_C(1000000000) + (uint64_t)ts.tv_nsec;
}

/* The only memory there is: what is left of an argument's text. */
static const char *text_at(const struct tracer *t, uint64_t addr)
{
	for (size_t i = 0; t->args && i < ARRAY_LEN(t->args->text); i++) {
		const char *text = t->args->text[i];

		if (text && addr - (uintptr_t)text <= strlen(text))
			return text + (addr - (uintptr_t)text);
	}
	return NULL;
}

static int front_read(void *ctx, taddr addr, void *buf, size_t n, taddr *bad)
{
	const char *text = text_at(ctx, addr.v);

	*bad = addr;
	if (!text || n > strlen(text) + 1)
		return STATUS_FAULT;
	memcpy(buf, text, n);
	return 0;
}

static int64_t front_read_str(void *ctx, taddr addr, char *buf, size_t n, taddr *bad)
{
	const char *text = text_at(ctx, addr.v);
	size_t len = text ? strnlen(text, n) : 0;

	*bad = addr;
	if (!text)
		return STATUS_FAULT;
	memcpy(buf, text, len);
	return (int64_t)len;
}

static int front_write(void *ctx, taddr addr, const void *buf, size_t n, taddr *bad)
{
	(void)ctx;
	(void)buf;
	(void)n;
	*bad = addr;
	return STATUS_FAULT;
}

/* The process that fires is dtrace itself. */
static int front_control(void *ctx, enum vm_control what, uint64_t value)
{
	struct tracer *t = ctx;

	switch (what) {
	case VM_RAISE:
		if (value > (uint64_t)SIGRTMAX)
			return STATUS_RANGE;
		kill(getpid(), (int)value);
		return 0;
	case VM_STOP:
		kill(getpid(), SIGSTOP);
		return 0;
	case VM_CHILL:
		return chill_spin(&t->chill, value);
	}
	return STATUS_RANGE;
}

static int front_progenyof(void *ctx, uint64_t pid)
{
	(void)ctx;
	return procinfo_is_progeny(getpid(), pid);
}

static int front_info(enum builtin id, uint64_t *value)
{
	int pid = getpid();

	if (id < BUILTIN_curpsinfo_pgid || id > BUILTIN_curlwpsinfo_onpro)
		return 0; /* ucaller and errno read as 0, as arguments mostly do */
	return procinfo_number(
		pid, pid, (enum procinfo_number)(id - BUILTIN_curpsinfo_pgid), value);
}

static int front_builtin(void *ctx, enum builtin id, uint64_t index, uint64_t *value)
{
	const struct tracer *t = ctx;

	*value = 0;
	if (id >= BUILTIN_arg0 && id <= BUILTIN_arg9) {
		if (t->args && index < ARRAY_LEN(t->args->value))
			*value = t->args->value[index];
		return 0;
	}
	switch ((int)id) {
	case BUILTIN_timestamp:
		*value = clock_ns(CLOCK_MONOTONIC);
		return 0;
	case BUILTIN_walltimestamp:
		*value = clock_ns(CLOCK_REALTIME);
		return 0;
	case BUILTIN_vtimestamp:
		*value = clock_ns(CLOCK_THREAD_CPUTIME_ID);
		return 0;
	case BUILTIN_pid:
	case BUILTIN_tid:
		*value = (uint64_t)getpid();
		return 0;
	case BUILTIN_ppid:
		*value = (uint64_t)getppid();
		return 0;
	case BUILTIN_uid:
		*value = getuid();
		return 0;
	case BUILTIN_gid:
		*value = getgid();
		return 0;
	case BUILTIN_uregs:
	case BUILTIN_uvectors:
		return STATUS_RANGE;
	default:
		return front_info(id, value);
	}
}

static int front_builtin_str(void *ctx, enum builtin id, char *buf, size_t cap)
{
	const struct tracer *t = ctx;
	int pid = getpid();

	if (id >= BUILTIN_cwd && id <= BUILTIN_curpsinfo_psargs) {
		procinfo_text(pid, pid, (enum procinfo_text)(id - BUILTIN_cwd), buf,
			      cap);
		return 0;
	}
	if (id != BUILTIN_execname)
		return STATUS_RANGE;
	snprintf(buf, cap, "%.15s", t->command);
	return 0;
}

void front_init(struct tracer *t)
{
	t->vm = (struct vm){
		.image = t->image,
		.state = t->state,
		.slot = STATE_SLOT_FRONT,
		.context = CONTEXT_FRONT,
		.pid = (uint32_t)getpid(),
		.tid = (uint32_t)getpid(),
		.thread = (uint64_t)getpid(),
		.env = {.ctx = t,
			.read = front_read,
			.read_str = front_read_str,
			.builtin = front_builtin,
			.builtin_str = front_builtin_str,
			.write = front_write,
			.control = front_control,
			.progenyof = front_progenyof},
	};
}

/* The probe, for the machine as it is now. */
static const struct vm_probe *get_ready(struct tracer *t, uint32_t probe_id)
{
	const struct vm_probe *probes = (const void *)(t->table + 1);
	int cpu = sched_getcpu();

	t->vm.cpu = cpu < 0 ? 0 : (uint32_t)cpu;
	return &probes[probe_id - 1];
}

void front_fire(struct tracer *t, uint32_t probe_id, enum vm_fire_flag flag)
{
	vm_fire(&t->vm, get_ready(t, probe_id), flag);
}

void front_fire_unheard(struct tracer *t, uint32_t probe_id, enum vm_fire_flag flag,
			const struct front_args *args)
{
	const struct vm_probe *probe = get_ready(t, probe_id);
	uint32_t pid = t->vm.pid;

	t->args = args;
	t->vm.pid = args->pid ? (uint32_t)args->pid : pid;
	vm_fire_unheard(&t->vm, probe, flag);
	t->vm.pid = pid;
	t->args = NULL;
}

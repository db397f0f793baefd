/* SPDX-License-Identifier: MIT */
#include "tracer/events/event_env.h"
#include "vm/base/host/fdinfo.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/procinfo.h"
#include "vm/base/host/procstat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* ---- memory ---- */

/* The struct of args[0]; made when it is first asked for. */
static const unsigned char *get_args(struct event_env *v)
{
	if (v->args_room < v->format->size) {
		v->args = oom_realloc(v->args, v->format->size);
		v->args_room = v->format->size;
		v->has_args = false;
	}
	if (!v->has_args)
		event_format_convert(v->format, v->event->bytes, v->event->n, v->args);
	v->has_args = true;
	return v->args;
}

/* Bytes of that struct from the address on; 0: the address is none in it. */
static size_t args_left(const struct event_env *v, uint64_t addr)
{
	uint64_t offset = addr - (uintptr_t)v->args;

	return v->has_args && offset < v->format->size ? v->format->size - offset : 0;
}

static struct procmem *get_memory(struct event_env *v)
{
	if (v->memory_pid == v->event->pid)
		return &v->memory;
	event_env_forget(v);
	procmem_init(&v->memory, (int)v->event->pid, -1);
	v->memory_pid = v->event->pid;
	return &v->memory;
}

static int read_memory(void *ctx, taddr addr, void *buf, size_t n, taddr *bad)
{
	struct event_env *v = ctx;
	size_t done = min_u64(args_left(v, addr.v), n);

	if (done)
		memcpy(buf, (const void *)(uintptr_t)addr.v, done);
	else
		done = procmem_peek(get_memory(v), addr.v, buf, n);
	*bad = taddr_add(addr, (int64_t)done);
	return done == n ? 0 : STATUS_FAULT;
}

static int64_t read_text(void *ctx, taddr addr, char *buf, size_t n, taddr *bad)
{
	struct event_env *v = ctx;
	size_t done = min_u64(args_left(v, addr.v), n), len;

	if (done)
		memcpy(buf, (const void *)(uintptr_t)addr.v, done);
	else
		done = procmem_peek(get_memory(v), addr.v, buf, n);
	len = strnlen(buf, done);
	*bad = taddr_add(addr, (int64_t)done);
	return len < done || done == n ? (int64_t)len : STATUS_FAULT;
}

/* No process waits for its event: nothing can be changed in time. */
static int write_memory(void *ctx, taddr addr, const void *buf, size_t n, taddr *bad)
{
	(void)ctx;
	(void)buf;
	(void)n;
	*bad = addr;
	return STATUS_FAULT;
}

static int control(void *ctx, enum vm_control what, uint64_t value)
{
	(void)ctx;
	(void)what;
	(void)value;
	return STATUS_LIMIT;
}

/* ---- stacks ---- */

static uint32_t copy_stack(const uint64_t *from, uint32_t count, uint64_t *pcs,
			   uint32_t n)
{
	n = (uint32_t)min_u64(n, count);
	if (pcs && n)
		memcpy(pcs, from, n * sizeof(*pcs));
	return n;
}

static uint32_t user_stack(void *ctx, uint64_t *pcs, uint32_t n)
{
	struct event_env *v = ctx;

	if (pcs && v->event->nuser)
		v->stack_taken(v->ctx, v->event->pid);
	return copy_stack(v->event->user, v->event->nuser, pcs, n);
}

static uint32_t kernel_stack(void *ctx, uint64_t *pcs, uint32_t n)
{
	const struct event_env *v = ctx;

	return copy_stack(v->event->kernel, v->event->nkernel, pcs, n);
}

/* ---- built-in variables ---- */

/* The owner of the process's folder in /proc: its effective ids. */
static uint64_t owner_of(uint32_t pid, enum builtin id)
{
	struct stat st;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%u", pid);
	if (stat(path, &st))
		return 0;
	return id == BUILTIN_uid ? st.st_uid : st.st_gid;
}

static uint64_t parent_of(uint32_t pid)
{
	struct procstat s;

	return procstat_read((int)pid, (int)pid, &s)
		       ? 0
		       : procstat_number(s.text, PROCSTAT_PPID);
}

static uint64_t wall_clock(uint64_t time)
{
	struct timespec real, mono;

	clock_gettime(CLOCK_REALTIME, &real);
	clock_gettime(CLOCK_MONOTONIC, &mono);
	return (uint64_t)(real.tv_sec - mono.tv_sec) * UINT64_C(1000000000) +
	       (uint64_t)(real.tv_nsec - mono.tv_nsec) + time;
}

/* 0 for a process that has gone, and for what an event does not carry. */
static uint64_t process_number(const struct event_env *v, enum builtin id)
{
	uint64_t value = 0;

	if (id < BUILTIN_curpsinfo_pgid || id > BUILTIN_curlwpsinfo_onpro)
		return 0;
	procinfo_number((int)v->event->pid, (int)v->event->tid,
			(enum procinfo_number)(id - BUILTIN_curpsinfo_pgid), &value);
	return value;
}

static int get_builtin(void *ctx, enum builtin id, uint64_t index, uint64_t *value)
{
	struct event_env *v = ctx;
	const struct ring_record *event = v->event;

	if (id >= BUILTIN_arg0 && id <= BUILTIN_arg9) {
		*value = event_format_value(v->format, event->bytes, event->n,
					    (uint32_t)index);
		return 0;
	}
	*value = 0;
	switch ((int)id) {
	case BUILTIN_event_record:
		*value = (uintptr_t)get_args(v);
		return 0;
	case BUILTIN_timestamp:
		*value = event->time;
		return 0;
	case BUILTIN_walltimestamp:
		*value = wall_clock(event->time);
		return 0;
	case BUILTIN_pid:
		*value = event->pid;
		return 0;
	case BUILTIN_tid:
		*value = event->tid;
		return 0;
	case BUILTIN_ppid:
		*value = parent_of(event->pid);
		return 0;
	case BUILTIN_uid:
	case BUILTIN_gid:
		*value = owner_of(event->pid, id);
		return 0;
	case BUILTIN_ucaller:
		*value = event->nuser > 1 ? event->user[1] : 0;
		return 0;
	case BUILTIN_curlwpsinfo_syscall:
		*value = UINT64_MAX; /* not known any more */
		return 0;
	case BUILTIN_curcpu_chip:
		*value = procinfo_chip(event->cpu);
		return 0;
	case BUILTIN_uregs:
	case BUILTIN_uvectors:
		return STATUS_RANGE;
	default:
		*value = process_number(v, id);
		return 0;
	}
}

static int get_builtin_text(void *ctx, enum builtin id, char *buf, size_t cap)
{
	struct event_env *v = ctx;
	int pid = (int)v->event->pid, tid = (int)v->event->tid;

	if (id == BUILTIN_execname || id == BUILTIN_threadname) {
		snprintf(buf, cap, "%s", thread_names_get(v->names, v->event->tid));
		return 0;
	}
	if (id < BUILTIN_cwd || id > BUILTIN_curpsinfo_psargs)
		return STATUS_RANGE;
	procinfo_text(pid, tid, (enum procinfo_text)(id - BUILTIN_cwd), buf, cap);
	return 0;
}

static int progenyof(void *ctx, uint64_t pid)
{
	const struct event_env *v = ctx;

	return procinfo_is_progeny((int)v->event->pid, pid);
}

static int64_t descriptor(void *ctx, int fd, uint32_t what, char *buf, size_t cap)
{
	const struct event_env *v = ctx;

	return fdinfo_get((int)v->event->pid, fd, (enum fdinfo)what, buf, cap);
}

/* ---- life ---- */

void event_env_forget(struct event_env *v)
{
	if (v->memory_pid)
		procmem_release(&v->memory);
	v->memory_pid = 0;
}

void event_env_release(struct event_env *v)
{
	event_env_forget(v);
	free(v->args);
	v->args = NULL;
}

void event_env_fire(struct event_env *v, const struct host_env *front,
		    uint32_t probe_id, const struct event_format *format,
		    const struct ring_record *event)
{
	v->vm = front->vm;
	v->vm.env = (struct vm_env){
		.ctx = v,
		.read = read_memory,
		.read_str = read_text,
		.builtin = get_builtin,
		.builtin_str = get_builtin_text,
		.write = write_memory,
		.stack = user_stack,
		.kernel_stack = kernel_stack,
		.control = control,
		.progenyof = progenyof,
		.descriptor = descriptor,
	};
	v->vm.cpu = event->cpu;
	v->vm.pid = event->pid;
	v->vm.tid = event->tid;
	v->vm.thread = (uint64_t)event->tid + 1;
	v->event = event;
	v->format = format;
	v->has_args = false;
	vm_fire(&v->vm, &front->probes[probe_id - 1], VM_FIRE_NORMAL);
}

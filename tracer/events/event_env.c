/* SPDX-License-Identifier: MIT */
#include "tracer/events/event_env.h"
#include "tracer/events/condition.h"
#include "tracer/keeper/fault_kind.h"
#include "vm/base/proc/fdinfo.h"
#include "vm/base/host/oom.h"
#include "vm/base/proc/procinfo.h"
#include "vm/base/proc/procstat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define ERRNO_MAX 4095 /* of the kernel's include/linux/err.h */

/* The arguments of a request of a disk: tracer/providers/machine/disks.c. */
enum {
	IO_ARG_DEVICE = 0,
	IO_ARG_SECTOR = 1,
	IO_ARG_BYTES = 2,
	IO_ARG_NAME = 4,
	IO_ARG_SECTORS = 5
};

#define STALLED_MS  (PROCMEM_ONCE_MS / 2)
#define STALLED_MAX 4096 /* processes */

/* ---- memory ---- */

/* The struct of args[0]; made when it is first asked for. */
static const unsigned char *get_args(struct event_env *v)
{
	if (v->args_room < v->probe->format->size) {
		v->args = oom_realloc(v->args, v->probe->format->size);
		v->args_room = v->probe->format->size;
		v->has_args = false;
	}
	if (!v->has_args)
		event_format_convert(v->probe->format, v->event->bytes, v->event->n,
				     v->args);
	v->has_args = true;
	return v->args;
}

static size_t left_of(const void *base, uint64_t size, uint64_t addr)
{
	uint64_t offset = addr - (uintptr_t)base;

	return offset < size ? size - offset : 0;
}

/* Bytes from the address on, of what arguments point to here; 0: it is none of that. */
static size_t args_left(const struct event_env *v, uint64_t addr)
{
	size_t left = v->has_args ? left_of(v->args, v->probe->format->size, addr) : 0;

	return left ? left : left_of(v->device, sizeof(v->device), addr);
}

static struct procmem *get_memory(struct event_env *v)
{
	if (v->memory_pid == v->pid)
		return &v->memory;
	event_env_forget(v);
	procmem_init(&v->memory, (int)v->pid, -1);
	v->memory_pid = v->pid;
	return &v->memory;
}

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

/*
 * Any process of the machine may have pages that do not come (procmem.h). It makes its
 * reader wait once.
 */
static size_t peek(struct event_env *v, uint64_t addr, void *buf, size_t n)
{
	uint64_t began;
	size_t done;

	if (v->names->is_past || map_get(&v->stalled, v->pid, NULL))
		return 0;
	began = now_ms();
	done = procmem_peek(get_memory(v), addr, buf, n);
	if (now_ms() - began >= STALLED_MS) {
		if (v->stalled.len >= STALLED_MAX)
			map_release(&v->stalled);
		map_set(&v->stalled, v->pid, 1);
	}
	return done;
}

static int read_memory(void *ctx, taddr addr, void *buf, size_t n, taddr *bad)
{
	struct event_env *v = ctx;
	size_t done = v->is_all_told ? 0 : min_u64(args_left(v, addr.v), n);

	if (done) {
		memcpy(buf, (const void *)(uintptr_t)addr.v, done);
	} else if (v->journal.bytes) {
		return event_journal_read(&v->journal, addr, buf, n, bad);
	} else {
		done = peek(v, addr.v, buf, n);
		asked_add_memory(&v->asked, addr.v, buf, done, done < n);
	}
	*bad = taddr_add(addr, (int64_t)done);
	return done == n ? 0 : STATUS_FAULT;
}

static int64_t read_text(void *ctx, taddr addr, char *buf, size_t n, taddr *bad)
{
	struct event_env *v = ctx;
	size_t done = v->is_all_told ? 0 : min_u64(args_left(v, addr.v), n), len;

	if (done) {
		memcpy(buf, (const void *)(uintptr_t)addr.v, done);
		len = strnlen(buf, done);
	} else if (v->journal.bytes) {
		return event_journal_read_str(&v->journal, addr, buf, n, bad);
	} else {
		done = peek(v, addr.v, buf, n);
		len = strnlen(buf, done);
		/* with its end, but not what follows */
		asked_add_memory(&v->asked, addr.v, buf, min_u64(done, len + 1),
				 done < n && len == done);
	}
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
	uint64_t depth;

	if (v->tid != v->event->tid)
		return 0; /* they are the other thread's */
	if (!pcs && v->journal.bytes &&
	    event_journal_number(&v->journal, BUILTIN_ustackdepth, 0, &depth))
		return (uint32_t)depth;
	if (pcs && v->event->nuser)
		v->stack_taken(v->ctx, v->pid);
	return copy_stack(v->event->user, v->event->nuser, pcs, n);
}

static uint32_t kernel_stack(void *ctx, uint64_t *pcs, uint32_t n)
{
	const struct event_env *v = ctx;

	if (v->tid != v->event->tid)
		return 0;
	return copy_stack(v->event->kernel, v->event->nkernel, pcs, n);
}

/* ---- built-in variables ---- */

/* The owner of the process's folder in /proc: its effective ids. */
static uint64_t owner_of(const struct event_env *v, enum builtin id)
{
	struct stat st;
	char path[32];
	uint32_t pid = v->pid;

	if (v->names->is_past)
		return 0;
	snprintf(path, sizeof(path), "/proc/%u", pid);
	if (stat(path, &st))
		return 0;
	return id == BUILTIN_uid ? st.st_uid : st.st_gid;
}

static uint64_t parent_of(const struct event_env *v)
{
	struct procstat s;
	uint32_t pid = v->pid;

	if (v->names->is_past)
		return thread_names_parent(v->names, v->tid);
	return procstat_read((int)pid, (int)pid, &s)
		       ? 0
		       : procstat_number(s.text, PROCSTAT_PPID);
}

static uint64_t wall_clock(const struct event_env *v, uint64_t time)
{
	struct timespec real, mono;

	if (v->front->past.is_set)
		return host_past_wall(&v->front->past, time);
	clock_gettime(CLOCK_REALTIME, &real);
	clock_gettime(CLOCK_MONOTONIC, &mono);
	return (uint64_t)(real.tv_sec - mono.tv_sec) * UINT64_C(1000000000) +
	       (uint64_t)(real.tv_nsec - mono.tv_nsec) + time;
}

/* 0 for a process that has gone, and for what an event does not carry. */
static uint64_t process_number(const struct event_env *v, enum builtin id)
{
	uint64_t value = 0;

	if (id < BUILTIN_curpsinfo_pgid || id > BUILTIN_curlwpsinfo_onpro ||
	    v->names->is_past)
		return 0;
	procinfo_number((int)v->pid, (int)v->tid,
			(enum procinfo_number)(id - BUILTIN_curpsinfo_pgid), &value);
	return value;
}

/* What the call failed with, whose result the view names; 0: it did not. */
static uint64_t failed_with(const struct event_env *v)
{
	const struct event_field *field = v->probe->result;
	int64_t result = field ? (int64_t)event_field_value(field, 0, v->event->bytes,
							    v->event->n)
			       : 0;

	return result < 0 && result >= -ERRNO_MAX ? (uint64_t)-result : 0;
}

/* Of a sample: where the kernel was, or where the program was. */
static uint64_t sampled(const struct ring_record *event, uint64_t index)
{
	return index == (event->in_kernel ? 0 : 1) ? event->pc : 0;
}

/* include/linux/kdev_t.h */
static unsigned device_major(uint64_t number)
{
	return (unsigned)(number >> 20);
}

static unsigned device_minor(uint64_t number)
{
	return (unsigned)number & 0xfffff;
}

/* The name of a disk, "sda1"; of one without a name its numbers. */
static void find_device(struct event_env *v, uint64_t number)
{
	unsigned major = device_major(number), minor = device_minor(number);
	char path[64], target[256];
	const char *slash;
	ssize_t n;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", major, minor);
	n = v->names->is_past ? 0 : readlink(path, target, sizeof(target) - 1);
	target[n > 0 ? n : 0] = '\0';
	slash = strrchr(target, '/');
	if (slash)
		snprintf(v->device, sizeof(v->device), "%.31s", slash + 1);
	else
		snprintf(v->device, sizeof(v->device), "%u,%u", major, minor);
}

/* The address of that name. */
static uint64_t device_name(struct event_env *v, uint64_t number)
{
	bool is_known = *v->device && v->device_number == number;

	if (!event_journal_device(&v->journal, number, v->device, sizeof(v->device)) &&
	    !is_known)
		find_device(v, number);
	v->device_number = number;
	asked_add(&v->asked, JOURNAL_DEVICE, number, v->device, strlen(v->device));
	return (uintptr_t)v->device;
}

static uint64_t argument(struct event_env *v, uint64_t index);

static uint64_t viewed(struct event_env *v, const struct event_field *field,
		       const struct kernel_field *how)
{
	uint64_t value;

	if (field->is_text || how->as == KERNEL_ADDRESS)
		return (uintptr_t)get_args(v) + field->to;
	if (field == v->probe->result && failed_with(v))
		return UINT64_MAX;
	value = event_field_value(field, how->element, v->event->bytes, v->event->n);
	switch (how->as) {
	case KERNEL_PROCESS:
		return thread_names_process(v->names, (uint32_t)value);
	case KERNEL_DEVICE:
		return device_name(v, value);
	case KERNEL_NEGATED:
		return -value;
	case KERNEL_FAULT:
		return fault_kind((int)value, (int)argument(v, 2));
	case KERNEL_CPU:
		return v->event->cpu;
	default:
		return value;
	}
}

/* By the field's position, or as the view says. */
static uint64_t argument(struct event_env *v, uint64_t index)
{
	const struct event_probe *p = v->probe;
	const struct event_field *field;

	if (p->view && p->view->args[index].as == KERNEL_ONE)
		return 1;
	if (!p->format)
		return sampled(v->event, index);
	if (p->view)
		return p->args[index] ? viewed(v, p->args[index], &p->view->args[index])
				      : 0;
	field = event_format_field(p->format, (uint32_t)index);
	if (!field || field->is_array)
		return 0;
	return event_field_value(field, 0, v->event->bytes, v->event->n);
}

/* What neither the event says, nor names of threads. */
static bool is_asked(enum builtin id)
{
	return id == BUILTIN_walltimestamp || id == BUILTIN_ppid || id == BUILTIN_uid ||
	       id == BUILTIN_gid || id == BUILTIN_curcpu_chip ||
	       (id >= BUILTIN_curpsinfo_pgid && id <= BUILTIN_curlwpsinfo_onpro);
}

static int find_builtin(struct event_env *v, enum builtin id, uint64_t index,
			uint64_t *value)
{
	const struct ring_record *event = v->event;

	if (id >= BUILTIN_arg0 && id <= BUILTIN_arg9) {
		*value = argument(v, index);
		return 0;
	}
	switch ((int)id) {
	case BUILTIN_event_record:
		*value = v->probe->format ? (uintptr_t)get_args(v) : 0;
		return 0;
	case BUILTIN_errno:
		*value = failed_with(v);
		return 0;
	case BUILTIN_timestamp:
		*value = event->time;
		return 0;
	case BUILTIN_walltimestamp:
		*value = wall_clock(v, event->time);
		return 0;
	case BUILTIN_pid:
		*value = v->pid;
		return 0;
	case BUILTIN_tid:
		*value = v->tid;
		return 0;
	case BUILTIN_ppid:
		*value = parent_of(v);
		return 0;
	case BUILTIN_uid:
	case BUILTIN_gid:
		*value = owner_of(v, id);
		return 0;
	case BUILTIN_ucaller:
		*value = event->nuser > 1 ? event->user[1] : 0;
		return 0;
	case BUILTIN_curlwpsinfo_syscall:
		*value = UINT64_MAX; /* not known any more */
		return 0;
	case BUILTIN_curcpu_chip:
		*value = v->names->is_past ? 0 : procinfo_chip(event->cpu);
		return 0;
	case BUILTIN_uregs:
	case BUILTIN_uvectors:
		return STATUS_RANGE;
	default:
		*value = process_number(v, id);
		return 0;
	}
}

static int get_builtin(void *ctx, enum builtin id, uint64_t index, uint64_t *value)
{
	struct event_env *v = ctx;
	int rc;

	*value = 0;
	if (v->journal.bytes && event_journal_number(&v->journal, id, index, value))
		return 0;
	if (v->is_all_told && id <= BUILTIN_arg9)
		return STATUS_RANGE;
	rc = find_builtin(v, id, index, value);
	if (rc == 0 && is_asked(id))
		asked_add(&v->asked, JOURNAL_NUMBER, (uint64_t)id << 32 | index, value,
			  sizeof(*value));
	return rc;
}

static int get_builtin_text(void *ctx, enum builtin id, char *buf, size_t cap)
{
	struct event_env *v = ctx;
	int pid = (int)v->pid, tid = (int)v->tid;

	if (v->journal.bytes && event_journal_text(&v->journal, id, buf, cap))
		return 0;
	if (id == BUILTIN_execname || id == BUILTIN_threadname) {
		snprintf(buf, cap, "%s", thread_names_get(v->names, v->tid));
		return 0;
	}
	if (id < BUILTIN_cwd || id > BUILTIN_curpsinfo_psargs)
		return STATUS_RANGE;
	snprintf(buf, cap, "%s", "");
	if (!v->names->is_past)
		procinfo_text(pid, tid, (enum procinfo_text)(id - BUILTIN_cwd), buf,
			      cap);
	asked_add(&v->asked, JOURNAL_TEXT, id, buf, strnlen(buf, cap));
	return 0;
}

static int progenyof(void *ctx, uint64_t pid)
{
	struct event_env *v = ctx;
	int is_progeny;

	if (v->journal.bytes)
		return event_journal_has(&v->journal, JOURNAL_PROGENY, pid);
	is_progeny = v->names->is_past ? thread_names_is_progeny(v->names, v->tid, pid)
				       : procinfo_is_progeny((int)v->pid, pid);
	if (is_progeny > 0)
		asked_add(&v->asked, JOURNAL_PROGENY, pid, NULL, 0);
	return is_progeny;
}

/* Found once for an event. Of others than requests of disks: not known. */
static const struct request_file *get_request_file(struct event_env *v)
{
	const struct kernel_view *view = v->probe->view;
	uint64_t device;
	struct request r;

	if (!v->file)
		v->file = oom_calloc(1, sizeof(*v->file));
	if (v->has_file)
		return v->file;
	v->has_file = true;
	v->file->is_known = false;
	if (!view || view->args[IO_ARG_NAME].as != KERNEL_DEVICE)
		return v->file;
	device = argument(v, IO_ARG_DEVICE);
	r = (struct request){
		.pid = (int)v->pid,
		.tid = (int)v->tid,
		.major = device_major(device),
		.minor = device_minor(device),
		.sector = argument(v, IO_ARG_SECTOR),
		.bytes = argument(v, IO_ARG_BYTES) + argument(v, IO_ARG_SECTORS) * 512,
	};
	request_file_find(&r, v->file);
	return v->file;
}

/* Of the process now; of a request of a disk the file. */
static int64_t present_descriptor(struct event_env *v, int fd, uint32_t what, char *buf,
				  size_t cap)
{
	if (fd == DESCRIPTOR_OF_REQUEST)
		return request_file_get(get_request_file(v), (enum fdinfo)what, buf,
					cap);
	return fdinfo_get((int)v->pid, fd, (enum fdinfo)what, buf, cap);
}

static int64_t descriptor(void *ctx, int fd, uint32_t what, char *buf, size_t cap)
{
	struct event_env *v = ctx;
	int64_t value;

	if (v->journal.bytes)
		return event_journal_descriptor(&v->journal, fd, what, buf, cap);
	if (v->names->is_past) {
		if (cap)
			snprintf(buf, cap, fd == DESCRIPTOR_OF_REQUEST ? "<none>" : "");
		return 0;
	}
	value = present_descriptor(v, fd, what, buf, cap);
	asked_add(&v->asked, JOURNAL_DESCRIPTOR, (uint64_t)(uint32_t)fd << 32 | what,
		  buf ? (const void *)buf : &value,
		  buf ? strnlen(buf, cap) : sizeof(value));
	return value;
}

static size_t python(void *ctx, char *buf, size_t cap, uint32_t n)
{
	const struct event_env *v = ctx;

	return event_journal_python(&v->journal, buf, cap, n);
}

/* ---- life ---- */

static void wake(void *ctx, _Atomic uint32_t *word)
{
	(void)ctx;
	(void)word; /* it is cleared; events_replay() looks at it */
}

void event_env_forget(struct event_env *v)
{
	if (v->memory_pid)
		procmem_release(&v->memory);
	v->memory_pid = 0;
}

void event_env_release(struct event_env *v)
{
	event_env_forget(v);
	map_release(&v->stalled);
	asked_release(&v->asked);
	free(v->args);
	free(v->file);
	v->args = NULL;
	v->file = NULL;
}

/* The thread that fires: the event's, or one that a field names. */
static void set_thread(struct event_env *v)
{
	const struct event_field *field = v->probe->thread;

	v->pid = v->event->pid;
	v->tid = v->event->tid;
	if (!field)
		return;
	v->tid = (uint32_t)event_field_value(field, 0, v->event->bytes, v->event->n);
	v->pid = thread_names_process(v->names, v->tid);
}

static bool is_wanted(const struct event_probe *p, const struct ring_record *event)
{
	for (int i = 0; i < KERNEL_CONDITIONS_MAX; i++)
		if (p->conditions[i] &&
		    !condition_is_met(&p->view->conditions[i],
				      event_field_value(p->conditions[i], 0,
							event->bytes, event->n)))
			return false;
	return true;
}

bool event_env_begin(struct event_env *v, const struct host_env *front,
		     const struct event_probe *probe, const struct ring_record *event,
		     const struct event_journal *told)
{
	if (!is_wanted(probe, event))
		return false;
	v->front = front;
	v->event = event;
	v->probe = probe;
	v->has_args = v->has_file = false;
	v->journal = told ? *told : (struct event_journal){0};
	if (probe->journal)
		v->journal.bytes = event_field_bytes(probe->journal, event->bytes,
						     event->n, &v->journal.n);
	v->is_all_told = probe->journal && v->journal.bytes;
	set_thread(v);
	if (v->is_all_told)
		v->stack_taken(v->ctx, v->pid); /* addresses may be named */
	return true;
}

void event_env_fire(struct event_env *v)
{
	v->vm = v->front->vm;
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
		.python = v->is_all_told ? python : NULL,
		.wake = v->wakes ? wake : NULL,
	};
	v->vm.cpu = v->event->cpu;
	v->vm.pid = v->pid;
	v->vm.tid = v->tid;
	v->vm.thread = (uint64_t)v->tid + 1;
	vm_fire(&v->vm, &v->front->probes[v->probe->probe - 1], VM_FIRE_NORMAL);
}

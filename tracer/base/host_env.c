/* SPDX-License-Identifier: MIT */
#include "tracer/base/host_env.h"
#include "vm/base/proc/fdinfo.h"
#include "vm/base/proc/procinfo.h"
#include "vm/base/regs.h"
#include "vm/base/status.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define OWN_PAGE 4096

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * UINT64_C(1000000000) + (uint64_t)ts.tv_nsec;
}

/* The rest of an argument's text; NULL: no argument is there. */
static const char *text_at(const struct host_env *h, uint64_t addr)
{
	for (size_t i = 0; h->args && i < ARRAY_LEN(h->args->text); i++) {
		const char *text = h->args->text[i];

		if (text && addr - (uintptr_t)text <= strlen(text))
			return text + (addr - (uintptr_t)text);
	}
	return NULL;
}

/* How many bytes of dtrace's memory can be read, page by page. */
static size_t read_own(uint64_t addr, void *buf, size_t n)
{
	size_t done = 0;

	while (done < n) {
		size_t room = OWN_PAGE - (addr + done) % OWN_PAGE;
		struct iovec to = {(char *)buf + done, min_u64(room, n - done)};
		struct iovec from = {(void *)(uintptr_t)(addr + done), to.iov_len};

		if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) !=
		    (ssize_t)to.iov_len)
			break;
		done += to.iov_len;
	}
	return done;
}

/* The length of the text in dtrace's memory, at most n; STATUS_FAULT. */
static int64_t read_own_text(taddr addr, char *buf, size_t n, taddr *bad)
{
	size_t done = read_own(addr.v, buf, n), len = strnlen(buf, done);

	*bad = taddr_add(addr, (int64_t)done);
	return len < done || done == n ? (int64_t)len : STATUS_FAULT;
}

static int read_memory(void *ctx, taddr addr, void *buf, size_t n, taddr *bad)
{
	const char *text = text_at(ctx, addr.v);
	size_t done;

	*bad = addr;
	if (!text) {
		done = read_own(addr.v, buf, n);
		*bad = taddr_add(addr, (int64_t)done);
		return done == n ? 0 : STATUS_FAULT;
	}
	if (n > strlen(text) + 1)
		return STATUS_FAULT;
	memcpy(buf, text, n);
	return 0;
}

static int64_t read_text(void *ctx, taddr addr, char *buf, size_t n, taddr *bad)
{
	const char *text = text_at(ctx, addr.v);
	size_t len = text ? strnlen(text, n) : 0;

	*bad = addr;
	if (!text)
		return read_own_text(addr, buf, n, bad);
	memcpy(buf, text, len);
	return (int64_t)len;
}

static int write_memory(void *ctx, taddr addr, const void *buf, size_t n, taddr *bad)
{
	(void)ctx;
	(void)buf;
	(void)n;
	*bad = addr;
	return STATUS_FAULT;
}

/* Destructive actions on the current process: that is dtrace. */
static int control(void *ctx, enum vm_control what, uint64_t value)
{
	struct host_env *h = ctx;

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
		return chill_spin(&h->chill, value);
	case VM_COPY: /* of targets only */
		break;
	}
	return STATUS_RANGE;
}

static int progenyof(void *ctx, uint64_t pid)
{
	(void)ctx;
	return procinfo_is_progeny(getpid(), pid);
}

static int64_t descriptor(void *ctx, int fd, uint32_t what, char *buf, size_t cap)
{
	(void)ctx;
	return fdinfo_get(getpid(), fd, (enum fdinfo)what, buf, cap);
}

static int get_info(enum builtin id, uint64_t *value)
{
	int pid = getpid();

	if (id < BUILTIN_curpsinfo_pgid || id > BUILTIN_curlwpsinfo_onpro)
		return 0; /* ucaller and errno are 0 here, as arguments are */
	return procinfo_number(
		pid, pid, (enum procinfo_number)(id - BUILTIN_curpsinfo_pgid), value);
}

/* The thread is in here; its other registers say nothing of use and are 0. */
static int own_register(uint64_t index, uint64_t *value)
{
	struct regs r = {0};

	if (index >= REGS_UREGS)
		return STATUS_RANGE;
	regs_set_pc(&r, (uintptr_t)host_env_fire);
	regs_set_sp(&r, (uintptr_t)__builtin_frame_address(0));
	*value = regs_ureg(&r, (uint32_t)index);
	return 0;
}

static int get_builtin(void *ctx, enum builtin id, uint64_t index, uint64_t *value)
{
	const struct host_env *h = ctx;

	*value = 0;
	if (id >= BUILTIN_arg0 && id <= BUILTIN_arg9) {
		if (h->args && index < ARRAY_LEN(h->args->value))
			*value = h->args->value[index];
		return 0;
	}
	switch ((int)id) {
	case BUILTIN_timestamp:
		*value = h->past.is_set ? h->past.now : clock_ns(CLOCK_MONOTONIC);
		return 0;
	case BUILTIN_walltimestamp:
		*value = h->past.is_set ? host_past_wall(&h->past, h->past.now)
					: clock_ns(CLOCK_REALTIME);
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
		return own_register(index, value);
	case BUILTIN_uvectors:
		return STATUS_RANGE;
	case BUILTIN_curlwpsinfo_syscall:
		*value = UINT64_MAX; /* clauses run between our own calls */
		return 0;
	case BUILTIN_curcpu_chip:
		*value = procinfo_chip(h->vm.cpu);
		return 0;
	default:
		return get_info(id, value);
	}
}

static int get_builtin_text(void *ctx, enum builtin id, char *buf, size_t cap)
{
	const struct host_env *h = ctx;
	int pid = getpid();

	if (id >= BUILTIN_cwd && id <= BUILTIN_curpsinfo_psargs) {
		procinfo_text(pid, pid, (enum procinfo_text)(id - BUILTIN_cwd), buf,
			      cap);
		return 0;
	}
	if (id != BUILTIN_execname)
		return STATUS_RANGE;
	snprintf(buf, cap, "%.15s", h->command);
	return 0;
}

void host_env_init(struct host_env *h, const void *image, struct state *state,
		   const char *command)
{
	*h = (struct host_env){.command = command};
	h->vm = (struct vm){
		.image = image,
		.state = state,
		.slot = STATE_SLOT_FRONT,
		.context = CONTEXT_FRONT,
		.pid = (uint32_t)getpid(),
		.tid = (uint32_t)getpid(),
		.thread = (uint64_t)getpid(),
		.env = {.ctx = h,
			.read = read_memory,
			.read_str = read_text,
			.builtin = get_builtin,
			.builtin_str = get_builtin_text,
			.write = write_memory,
			.control = control,
			.progenyof = progenyof,
			.descriptor = descriptor},
	};
}

void host_env_use(struct host_env *h, const struct vm_table *table)
{
	const struct vm_probe *probes = (const void *)(table + 1);
	const struct vm_enabling *enablings = (const void *)(probes + table->nprobes);

	h->probes = probes;
	h->vm.enablings = enablings;
	h->vm.fullnames = (const void *)(enablings + table->nenablings);
	h->vm.names = (const char *)(h->vm.fullnames + table->nprobes);
	h->vm.names_size = table->names_size;
	h->vm.error = table->error == UINT32_MAX ? NULL : &probes[table->error];
}

uint64_t host_past_wall(const struct host_past *past, uint64_t time)
{
	return past->has_wall ? time + past->wall_offset : 0;
}

/* Sets the present CPU and returns the probe. */
static const struct vm_probe *get_ready(struct host_env *h, uint32_t probe_id)
{
	int cpu = sched_getcpu();

	h->vm.cpu = cpu < 0 ? 0 : (uint32_t)cpu;
	return &h->probes[probe_id - 1];
}

void host_env_fire(struct host_env *h, uint32_t probe_id, enum vm_fire_flag flag)
{
	vm_fire(&h->vm, get_ready(h, probe_id), flag);
}

void host_env_fire_with(struct host_env *h, uint32_t probe_id,
			const struct host_args *args)
{
	h->args = args;
	host_env_fire(h, probe_id, VM_FIRE_NORMAL);
	h->args = NULL;
}

void host_env_fire_clock(struct host_env *h, uint32_t probe_id)
{
	const struct host_args args = {.value = {0, (uintptr_t)host_env_fire}};

	host_env_fire_with(h, probe_id, &args);
}

void host_env_fire_unheard(struct host_env *h, uint32_t probe_id,
			   enum vm_fire_flag flag, const struct host_args *args)
{
	const struct vm_probe *probe = get_ready(h, probe_id);
	uint32_t pid = h->vm.pid;

	h->args = args;
	h->vm.pid = args->pid ? (uint32_t)args->pid : pid;
	vm_fire_unheard(&h->vm, probe, flag);
	h->vm.pid = pid;
	h->args = NULL;
}

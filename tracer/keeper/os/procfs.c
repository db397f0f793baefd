/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/os/procfs.h"
#include "hook/undo_log.h"
#include "tracer/keeper/os/faults.h"
#include "vm/base/proc/procmem.h"
#include "vm/base/proc/procstat.h"
#include "vm/base/host/vec.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define STATUS_FILE_MAX 8192

/* The kernel's include/linux/sched.h. */
#define PF_IO_WORKER   0x10u
#define PF_USER_WORKER 0x4000u /* had another meaning before Linux 6.4 */

/* The file's beginning, terminated; its length, or STATUS_GONE. */
static ssize_t read_small(int tid, const char *file, char *buf, size_t cap)
{
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", tid, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return STATUS_GONE;
	n = read(fd, buf, cap - 1);
	close(fd);
	if (n < 0)
		return STATUS_GONE;
	buf[n] = '\0';
	return n;
}

/* Text after "\nname:\t", or "" when there is no such line. */
static const char *field(const char *text, const char *name)
{
	char key[32];
	const char *p;

	snprintf(key, sizeof(key), "\n%s:\t", name);
	p = strstr(text, key);
	return p ? p + strlen(key) : "";
}

static uint64_t hex(const char *text, const char *name)
{
	return strtoull(field(text, name), NULL, 16);
}

static long decimal(const char *text, const char *name)
{
	return strtol(field(text, name), NULL, 10);
}

uint64_t procfs_inner_tid(int tid)
{
	char buf[STATUS_FILE_MAX];
	const char *p;
	uint64_t number = (uint64_t)tid;

	if (read_small(tid, "status", buf, sizeof(buf)) < 0)
		return 0;
	/* those of all namespaces, the innermost last; none if there is only one */
	for (p = field(buf, "NSpid"); *p >= '0' && *p <= '9'; p += *p == '\t')
		number = strtoull(p, (char **)(uintptr_t)&p, 10);
	return number;
}

int procfs_status(int tid, struct procfs_status *out)
{
	char buf[STATUS_FILE_MAX];
	char *text = buf + 1;

	*out = (struct procfs_status){0};
	buf[0] = '\n';
	if (read_small(tid, "status", text, sizeof(buf) - 1) < 0)
		return STATUS_GONE;
	sscanf(field(buf, "Name"), "%63[^\n]", out->name);
	out->state = *field(buf, "State");
	out->tgid = (int)decimal(buf, "Tgid");
	out->ppid = (int)decimal(buf, "PPid");
	out->tracer = (int)decimal(buf, "TracerPid");
	out->uid = (uint32_t)decimal(buf, "Uid");
	out->gid = (uint32_t)decimal(buf, "Gid");
	out->has_seccomp = decimal(buf, "Seccomp") != 0;
	out->locked = (uint64_t)decimal(buf, "VmLck");
	out->mapped = (uint64_t)decimal(buf, "VmSize") * 1024;
	out->pending = hex(buf, "SigPnd");
	out->shared_pending = hex(buf, "ShdPnd");
	out->blocked = hex(buf, "SigBlk");
	out->ignored = hex(buf, "SigIgn");
	out->caught = hex(buf, "SigCgt");
	return 0;
}

char procfs_state(int tid)
{
	struct procstat s;

	/* Not stat of the process, which sums up all of its threads. */
	if (procstat_read(tid, tid, &s))
		return 0;
	return (char)procstat_number(s.text, PROCSTAT_STATE);
}

/* The flags of sched.h; 0: there is no such thread. */
static uint64_t task_flags(int tid, bool *is_vhost)
{
	struct procstat s;

	if (procstat_read(tid, tid, &s))
		return 0;
	*is_vhost = strstr(s.text, "(vhost-") != NULL;
	return procstat_number(s.text, PROCSTAT_FLAGS);
}

bool procfs_is_kernel(int tid)
{
	bool is_vhost;

	return task_flags(tid, &is_vhost) & PROCSTAT_KTHREAD;
}

bool procfs_is_worker(int tid)
{
	bool is_vhost = false;
	uint64_t flags = task_flags(tid, &is_vhost);

	return flags &
	       (PF_IO_WORKER | PROCSTAT_KTHREAD | (is_vhost ? PF_USER_WORKER : 0));
}

int procfs_threads(int pid, int (*each)(void *ctx, int tid), void *ctx)
{
	char path[32];
	struct dirent *entry;
	int status = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	if (!dir)
		return STATUS_GONE;
	while (!status && (entry = readdir(dir))) {
		int tid = atoi(entry->d_name);

		if (tid > 0)
			status = each(ctx, tid);
	}
	closedir(dir);
	return status;
}

int procfs_children(int tid, int (*each)(void *ctx, int pid), void *ctx)
{
	char path[64];
	int status = 0, pid;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", tid, tid);
	f = fopen(path, "re");
	if (!f)
		return STATUS_GONE;
	while (!status && fscanf(f, "%d", &pid) == 1)
		status = each(ctx, pid);
	fclose(f);
	return status;
}

/* "running", "-1 sp pc", or "number six-arguments sp pc" (fs/proc/base.c). */
int procfs_syscall(int tid, struct procfs_syscall *out)
{
	uint64_t word[8];
	char line[256], *p = line;
	size_t n = 0;

	*out = (struct procfs_syscall){0};
	if (read_small(tid, "syscall", line, sizeof(line)) < 0)
		return STATUS_GONE;
	out->nr = strtoll(line, &p, 10);
	if (p == line)
		return STATUS_BUSY;
	while (n < ARRAY_LEN(word) && *p == ' ')
		word[n++] = strtoull(p, &p, 16);
	if (n < 2)
		return STATUS_GONE;
	memcpy(out->args, word, (n - 2) * sizeof(word[0]));
	out->sp = taddr_of(word[n - 2]);
	out->pc = taddr_of(word[n - 1]);
	return 0;
}

bool procfs_may_make_child(int tid)
{
	struct procfs_syscall call;
	int status = procfs_syscall(tid, &call);

	if (status < 0)
		return status == STATUS_BUSY;
	switch (call.nr) {
	case SYS_fork:
	case SYS_vfork:
	case SYS_clone:
	case SYS_clone3:
		return !procfs_in_vfork(tid);
	default:
		return false;
	}
}

bool procfs_in_vfork(int tid)
{
	struct procfs_syscall call;
	uint64_t flags = 0;

	if (procfs_state(tid) != 'D' || procfs_syscall(tid, &call) < 0)
		return false;
	/* A plain fork may sleep, too, for a moment. */
	if (call.nr == SYS_clone)
		flags = call.args[0];
	else if (call.nr == SYS_clone3) /* the first member of struct clone_args */
		procmem_peek_once(tid, call.args[0], &flags, sizeof(flags));
	return call.nr == SYS_vfork || flags & CLONE_VFORK;
}

int procfs_runtime(int tid, uint64_t *ns)
{
	char buf[128];

	if (read_small(tid, "schedstat", buf, sizeof(buf)) < 0)
		return STATUS_GONE;
	*ns = strtoull(buf, NULL, 10);
	return 0;
}

bool procfs_limits_addresses(int pid)
{
	struct rlimit r;

	return prlimit(pid, RLIMIT_AS, NULL, &r) == 0 && r.rlim_cur != RLIM_INFINITY;
}

/* Of the namespace that its children have, which is its own if it was born there. */
static int64_t monotonic_offset(int pid)
{
	long long seconds = 0, ns = 0;
	char text[256];

	if (read_small(pid, "timens_offsets", text, sizeof(text)) < 0 ||
	    sscanf(text, "monotonic %lld %lld", &seconds, &ns) != 2)
		return 0;
	return (int64_t)seconds * 1000000000 + ns;
}

int64_t procfs_clock_ahead(int pid)
{
	struct stat its, own;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/ns/time", pid);
	if (stat(path, &its) < 0 || stat("/proc/self/ns/time", &own) < 0 ||
	    its.st_ino == own.st_ino)
		return 0;
	return monotonic_offset(pid) - monotonic_offset(getpid());
}

/* A number in front of `end`: where it goes on, or NULL. */
static const char *parse_hex(const char *p, char end, uint64_t *value)
{
	const char *digits = p;
	uint64_t v = 0;

	for (;; p++) {
		unsigned digit = (unsigned)*p - '0';

		if (digit > 9)
			digit = (unsigned)*p - 'a' < 6 ? (unsigned)*p - 'a' + 10 : 16;
		if (digit > 15)
			break;
		v = v << 4 | digit;
	}
	*value = v;
	return p != digits && *p == end ? p + 1 : NULL;
}

/* The next word after this one, or the end of the line. */
static const char *next_word(const char *p)
{
	while (*p && *p != ' ' && *p != '\n')
		p++;
	while (*p == ' ')
		p++;
	return p;
}

#define UNDO_NAME "/memfd:" UNDO_FILE " (deleted)"

static enum procfs_area_kind kind_of(const char *name)
{
	if (*name != '[')
		return strncmp(name, UNDO_NAME, strlen(UNDO_NAME)) ? AREA_PLAIN
								   : AREA_UNDO_LOG;
	if (strncmp(name, "[heap]", 6) == 0)
		return AREA_HEAP;
	if (strncmp(name, "[stack]", 7) == 0)
		return AREA_STACK;
	return strncmp(name, "[vdso]", 6) == 0 ? AREA_VDSO : AREA_PLAIN;
}

/*
 * "lo-hi perms offset device inode   name", by hand: a process with jumps everywhere has
 * thousands of such lines, and scanf(3) would take longer than the kernel does to write
 * them.
 */
static bool parse_area(const char *line, struct procfs_area *a)
{
	const char *p = parse_hex(line, '-', &a->range.lo.v), *perms;

	perms = p ? parse_hex(p, ' ', &a->range.hi.v) : NULL;
	if (!perms || strcspn(perms, " \n") < 4)
		return false;
	a->is_writable = perms[1] == 'w';
	a->is_executable = perms[2] == 'x';
	a->is_shared = perms[3] == 's';
	p = next_word(next_word(next_word(perms)));
	a->is_file = *p >= '1' && *p <= '9';
	a->kind = kind_of(next_word(p));
	return true;
}

int procfs_maps_read(FILE *f, struct procfs_maps *out)
{
	uint64_t end = 0; /* of the one before: lines that do not ascend are ignored */
	char *line = NULL;
	size_t cap = 0;

	while (getline(&line, &cap, f) > 0) {
		struct procfs_area area;

		if (parse_area(line, &area) && area.range.lo.v < area.range.hi.v &&
		    area.range.lo.v >= end) {
			*vec_push(out) = area;
			end = area.range.hi.v;
		}
	}
	free(line);
	return out->len ? 0 : STATUS_GONE;
}

int procfs_maps(int pid, struct procfs_maps *out)
{
	char path[32];
	int status;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	f = faults_due(FAULTS_FILE, 0) ? NULL : fopen(path, "re");
	if (!f)
		return STATUS_GONE;
	status = procfs_maps_read(f, out);
	fclose(f);
	return status;
}

void procfs_maps_release(struct procfs_maps *m)
{
	vec_release(m);
}

const struct procfs_area *procfs_maps_find(const struct procfs_maps *m, taddr addr)
{
	size_t lo = 0, hi = m->len;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (m->data[mid].range.hi.v <= addr.v)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < m->len && addr_range_holds(&m->data[lo].range, addr) ? &m->data[lo]
									 : NULL;
}

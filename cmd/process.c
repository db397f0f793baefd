/* SPDX-License-Identifier: MIT */
/*
 * Names and arguments of processes may be anything: they are shown without control
 * characters and cut.
 */
#include "cmd/process.h"
#include "vm/base/host/clock.h"
#include "vm/base/host/vec.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define COMM_MAX     15 /* bytes of a name that the kernel keeps */
#define SHOWN_MAX    20 /* processes in a message */
#define ARGS_SHOWN   64 /* bytes of their arguments */
#define NSEC_PER_MS  UINT64_C(1000000)
#define SCAN_SHARE   10 /* a scan takes at most 1 of so many parts of the time */
#define LOADER_TURNS 500

/* The start tells a process from an earlier one with the same number. */
struct process {
	int pid;
	unsigned long long start;
};

struct processes {
	struct process *data;
	size_t len, cap;
};

/* The beginning of a file of /proc/PID, terminated. False: unreadable. */
static bool read_file(int pid, const char *file, char *buf, size_t cap, size_t *len)
{
	char path[48];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, buf, cap - 1);
	close(fd);
	buf[n > 0 ? n : 0] = '\0';
	*len = n > 0 ? (size_t)n : 0;
	return n >= 0;
}

static unsigned long long start_of(int pid)
{
	unsigned long long start = 0;
	char text[1024];
	const char *p;
	size_t n;

	if (!read_file(pid, "stat", text, sizeof(text), &n))
		return 0;
	p = strrchr(text, ')'); /* the name before it may contain anything */
	if (p)
		sscanf(p,
		       ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d "
		       "%*d %*d %*d %*d %llu",
		       &start);
	return start;
}

/* The base name of the program; empty if that is not permitted. False: it has none. */
static bool program_of(int pid, char name[PATH_MAX])
{
	static const char deleted[] = " (deleted)";
	char link[32], path[PATH_MAX];
	size_t len, tail = strlen(deleted);
	const char *slash;
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/%d/exe", pid);
	n = readlink(link, path, sizeof(path) - 1);
	name[0] = '\0';
	if (n < 0)
		return errno == EACCES || errno == EPERM;
	len = (size_t)n;
	if (len > tail && memcmp(path + len - tail, deleted, tail) == 0)
		len -= tail;
	path[len] = '\0';
	slash = strrchr(path, '/');
	snprintf(name, PATH_MAX, "%s", slash ? slash + 1 : path);
	return true;
}

static bool contains(const char *text, const char *part)
{
	return *text && strcasestr(text, part);
}

/* Whether the process has the name; is_part: whether its name contains it. */
static bool has_name(int pid, const char *wanted, bool is_part)
{
	char comm[64], program[PATH_MAX];
	size_t n;

	if (pid == getpid() || !read_file(pid, "comm", comm, sizeof(comm), &n))
		return false;
	comm[strcspn(comm, "\n")] = '\0';
	if (!program_of(pid, program))
		return false;
	if (is_part)
		return contains(comm, wanted) || contains(program, wanted);
	if (strcmp(program, wanted) == 0 || strcmp(comm, wanted) == 0)
		return true;
	return !*program && strlen(wanted) > COMM_MAX &&
	       strncmp(comm, wanted, COMM_MAX) == 0;
}

/* All processes with the name. False: /proc cannot be read. */
static bool find_all(const char *name, bool is_part, struct processes *out)
{
	const struct dirent *entry;
	DIR *proc = opendir("/proc");

	out->len = 0;
	if (!proc)
		return false;
	while ((entry = readdir(proc))) {
		int pid = isdigit((unsigned char)entry->d_name[0])
				  ? (int)strtol(entry->d_name, NULL, 10)
				  : 0;

		if (pid > 0 && has_name(pid, name, is_part))
			*vec_push(out) = (struct process){pid, start_of(pid)};
	}
	closedir(proc);
	return true;
}

/* "\t  1234 redis-server *:6379" */
static void add_line(struct strbuf *out, int pid)
{
	char args[ARGS_SHOWN] = "";
	size_t n = 0;

	if (!read_file(pid, "cmdline", args, sizeof(args), &n) || n == 0)
		read_file(pid, "comm", args, sizeof(args), &n);
	while (n > 0 && (args[n - 1] == '\0' || args[n - 1] == '\n'))
		n--;
	strbuf_printf(out, "\n\t%7d ", pid);
	for (size_t i = 0; i < n; i++)
		strbuf_putc(out, args[i] == '\0'		   ? ' '
				 : iscntrl((unsigned char)args[i]) ? '?'
								   : args[i]);
}

static void add_lines(struct strbuf *out, const struct processes *all)
{
	for (size_t i = 0; i < all->len && i < SHOWN_MAX; i++)
		add_line(out, all->data[i].pid);
	if (all->len > SHOWN_MAX)
		strbuf_printf(out, "\n\tand %zu more", all->len - SHOWN_MAX);
}

static int cannot_read(struct strbuf *why)
{
	strbuf_puts(why, "/proc cannot be read");
	return 0;
}

int process_find(const char *name, struct strbuf *why)
{
	struct processes all = {0};
	int pid = 0;

	if (!find_all(name, false, &all))
		return cannot_read(why);
	if (all.len == 1) {
		pid = all.data[0].pid;
	} else if (all.len > 1) {
		strbuf_printf(why, "%zu processes have this name; -p takes a number",
			      all.len);
		add_lines(why, &all);
	} else {
		strbuf_puts(why, "no process has this name");
		if (find_all(name, true, &all) && all.len > 0)
			strbuf_puts(why, "; similar ones are");
		add_lines(why, &all);
	}
	vec_release(&all);
	return pid;
}

/* ---- waiting ---- */

static void sleep_ns(uint64_t ns)
{
	const struct timespec ts = {(time_t)(ns / (1000 * NSEC_PER_MS)),
				    (long)(ns % (1000 * NSEC_PER_MS))};

	nanosleep(&ts, NULL);
}

static bool is_known(const struct processes *known, const struct process *p)
{
	for (size_t i = 0; i < known->len; i++)
		if (known->data[i].pid == p->pid && known->data[i].start == p->start)
			return true;
	return false;
}

/* Until one that is not known has the name. */
static int wait_for_new(const char *name, const struct processes *known)
{
	struct processes now = {0};
	int pid = 0;

	while (!pid) {
		uint64_t begin = clock_now_ns(), pause;

		if (!find_all(name, false, &now))
			break;
		for (size_t i = 0; i < now.len && !pid; i++)
			if (!is_known(known, &now.data[i]))
				pid = now.data[i].pid;
		pause = (clock_now_ns() - begin) * SCAN_SHARE;
		if (!pid)
			sleep_ns(pause > 10 * NSEC_PER_MS ? pause : 10 * NSEC_PER_MS);
	}
	vec_release(&now);
	return pid;
}

/* Whether the loader runs, and has not mapped the C library yet. */
static bool is_loading(int pid)
{
	char *maps = malloc(1 << 16);
	bool is_loading = false;
	size_t n;

	if (maps && read_file(pid, "maps", maps, 1 << 16, &n))
		is_loading = strstr(maps, "/ld-linux") && !strstr(maps, "/libc.so");
	free(maps);
	return is_loading;
}

int process_wait(const char *name, struct strbuf *why)
{
	static const int ends[] = {SIGINT, SIGTERM};
	struct sigaction before[ARRAY_LEN(ends)];
	const struct sigaction by_default = {.sa_handler = SIG_DFL};
	struct processes known = {0};
	int pid = 0;

	for (size_t i = 0; i < ARRAY_LEN(ends); i++)
		sigaction(ends[i], &by_default, &before[i]);
	if (find_all(name, false, &known))
		pid = wait_for_new(name, &known);
	for (int i = 0; pid && i < LOADER_TURNS && is_loading(pid); i++)
		sleep_ns(NSEC_PER_MS);
	for (size_t i = 0; i < ARRAY_LEN(ends); i++)
		sigaction(ends[i], &before[i], NULL);
	vec_release(&known);
	return pid ? pid : cannot_read(why);
}

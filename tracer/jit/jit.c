/* SPDX-License-Identifier: MIT */
#include "tracer/jit/jit.h"
#include "tracer/jit/map_file.h"
#include "vm/base/host/clock.h"
#include "vm/base/host/oom.h"
#include "vm/base/proc/maps_line.h"
#include "vm/base/proc/procstat.h"
#include "vm/base/host/vec.h"
#include "vm/base/status.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NSEC UINT64_C(1000000000)
/* A file system notes times to a tick. */
#define SLACK_NS (NSEC / 10)
/*
 * Files are looked at so often, and seldom enough that it costs a twentieth of the time;
 * sooner for an address that is not known.
 */
#define LOOK_NS	   (20 * UINT64_C(1000000))
#define LOOK_SHARE 20
/* Whether a process has mapped a jitdump file is looked for less often each time. */
#define SEARCH_FIRST_NS (NSEC / 20)
#define SEARCH_LAST_NS	(2 * NSEC)
#define STATUS_TEXT_MAX 8192

struct process {
	uint64_t pid;
	uint64_t image; /* of all processes, the how manieth */
	int root;	/* of its directories; -1: not open */
	char name[48];
	struct map_file_rule rule;
	bool is_live, is_refused, has_reported_full;
	uint64_t next_look, next_miss;
	uint64_t next_search, search_interval;
	struct map_file perf_map, jitdump;
};

struct jit {
	struct {
		struct process **data;
		size_t len, cap;
	} processes;
	uint32_t nheld;
	uint64_t nimages;
	void (*note)(void *ctx, int pid, const char *text);
	void *ctx;
};

struct jit *jit_new(void (*note)(void *ctx, int pid, const char *text), void *ctx)
{
	struct jit *j = oom_calloc(1, sizeof(*j));

	j->note = note;
	j->ctx = ctx;
	return j;
}

static void close_root(struct jit *j, struct process *p)
{
	if (p->root < 0)
		return;
	close(p->root);
	p->root = -1;
	j->nheld--;
}

static void free_process(struct jit *j, struct process *p)
{
	close_root(j, p);
	map_file_release(&p->perf_map);
	map_file_release(&p->jitdump);
	free(p);
}

void jit_free(struct jit *j)
{
	if (!j)
		return;
	for (size_t i = 0; i < j->processes.len; i++)
		free_process(j, j->processes.data[i]);
	vec_release(&j->processes);
	free(j);
}

/* With pid 0: the only process, if there is only one. */
static struct process *find(const struct jit *j, uint64_t pid)
{
	if (!pid && j->processes.len == 1)
		return j->processes.data[0];
	for (size_t i = 0; i < j->processes.len; i++)
		if (j->processes.data[i]->pid == pid)
			return j->processes.data[i];
	return NULL;
}

/* The last number of a line of /proc/PID/status. */
static bool last_number(const char *text, const char *key, uint64_t *value)
{
	const char *line = strstr(text, key), *end;

	if (!line)
		return false;
	line += strlen(key);
	end = strchr(line, '\n');
	while (end && end > line && end[-1] >= '0' && end[-1] <= '9')
		end--;
	if (!end || *end == '\n')
		return false;
	*value = strtoull(end, NULL, 10);
	return true;
}

static bool read_status(int pid, char text[STATUS_TEXT_MAX])
{
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, STATUS_TEXT_MAX - 1);
	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return false;
	text[n] = '\0';
	return true;
}

/* When the process began, in ns since 1970. */
static bool read_start(int pid, uint64_t *start)
{
	uint64_t booted = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_BOOTTIME);
	struct procstat s;

	if (procstat_read(pid, pid, &s))
		return false;
	*start = booted + procstat_number(s.text, PROCSTAT_START) *
				  (NSEC / (uint64_t)sysconf(_SC_CLK_TCK));
	return true;
}

/* The user that creates its files, its number as it sees it, and its root. */
static bool describe(struct process *p)
{
	char text[STATUS_TEXT_MAX], path[64];
	uint64_t start, inner, user;
	unsigned long long ids[3];
	const char *uids;

	if (!read_status((int)p->pid, text) || !read_start((int)p->pid, &start))
		return false;
	if (!last_number(text, "\nNSpid:", &inner))
		inner = p->pid;
	if (!last_number(text, "\nUid:", &user))
		return false;
	/* real, effective, saved and file system user */
	uids = strstr(text, "\nUid:");
	if (sscanf(uids, "\nUid: %llu %llu %llu", &ids[0], &ids[1], &ids[2]) != 3)
		return false;
	p->rule = (struct map_file_rule){(uid_t)user, start - SLACK_NS};
	snprintf(p->name, sizeof(p->name), "tmp/perf-%" PRIu64 ".map", inner);
	snprintf(path, sizeof(path), "/proc/%d/root", (int)p->pid);
	p->root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return p->root >= 0;
}

void jit_follow(struct jit *j, int pid)
{
	struct process *p = find(j, (uint64_t)pid);

	if (p && p->is_live)
		return;
	if (!p) {
		p = oom_calloc(1, sizeof(*p));
		p->root = -1;
		p->pid = (uint64_t)pid;
		*vec_push(&j->processes) = p;
	} else {
		close_root(j, p);
		map_file_release(&p->perf_map);
		map_file_release(&p->jitdump);
	}
	map_file_init(&p->perf_map, MAP_FILE_PERF_MAP);
	map_file_init(&p->jitdump, MAP_FILE_JITDUMP);
	p->is_live = true;
	p->image = ++j->nimages;
	p->is_refused = p->has_reported_full = false;
	p->next_look = p->next_miss = 0;
	p->search_interval = SEARCH_FIRST_NS;
	p->next_search = clock_now_ns() + SEARCH_FIRST_NS;
	if (j->nheld < JIT_HELD_MAX && describe(p))
		j->nheld++;
}

void jit_end(struct jit *j, int pid)
{
	struct process *p = find(j, (uint64_t)pid);

	if (!p)
		return;
	p->is_live = false;
	p->next_look = p->next_miss = 0; /* once more, then it changes no more */
}

static void note(const struct jit *j, struct process *p, const char *file,
		 const char *why)
{
	char text[160];

	snprintf(text, sizeof(text), "%s is not read: %s", file, why);
	if (j->note)
		j->note(j->ctx, (int)p->pid, text);
}

/* Opens the perf map if there is one by now. */
static void open_perf_map(const struct jit *j, struct process *p)
{
	const struct map_file_place place = {p->root, p->name, 0};
	const char *why;
	char path[sizeof(p->name) + 1];
	int status;

	if (p->perf_map.fd >= 0 || p->is_refused || p->root < 0)
		return;
	status = map_file_open(&p->perf_map, &place, &p->rule, &why);
	if (status == 0 || status == STATUS_NOENT)
		return;
	p->is_refused = true;
	snprintf(path, sizeof(path), "/%s", p->name);
	note(j, p, path, why);
}

/* Whether a mapping is of a jitdump file: "/dir/jit-42.dump". */
static bool is_jitdump(const struct maps_line *m)
{
	const char *name = strrchr(m->path, '/');
	size_t n;

	if (!name || strncmp(name, "/jit-", 5) != 0)
		return false;
	n = 5 + strspn(name + 5, "0123456789");
	return n > 5 && strcmp(name + n, ".dump") == 0;
}

/*
 * Opens the file that is mapped there: by its mapping, for which dtrace needs privileges,
 * or by its path.
 */
static void open_jitdump(const struct jit *j, struct process *p,
			 const struct maps_line *m)
{
	char path[96];
	struct map_file_place place = {-1, path, m->inode};
	const char *why;
	int status;

	snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64,
		 (int)p->pid, m->lo, m->hi);
	if (geteuid() != 0)
		place = (struct map_file_place){p->root, m->path, m->inode};
	status = map_file_open(&p->jitdump, &place, &p->rule, &why);
	if (status == STATUS_PERM)
		note(j, p, "its jitdump file", why);
}

static void search_jitdump(const struct jit *j, struct process *p, uint64_t now)
{
	char path[32], *line = NULL;
	struct maps_line m;
	bool is_found = false;
	size_t room = 0;
	FILE *f;

	p->search_interval = p->search_interval * 2 < SEARCH_LAST_NS
				     ? p->search_interval * 2
				     : SEARCH_LAST_NS;
	p->next_search = now + p->search_interval;
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)p->pid);
	f = fopen(path, "re");
	while (f && !is_found && getline(&line, &room, f) > 0)
		is_found = maps_line_parse(line, &m) && is_jitdump(&m);
	if (f)
		fclose(f);
	if (is_found) {
		p->next_search = UINT64_MAX; /* one is looked at, and only once */
		open_jitdump(j, p, &m);
	}
	free(line);
}

static void look(const struct jit *j, struct process *p, uint64_t now)
{
	open_perf_map(j, p);
	map_file_read(&p->perf_map);
	map_file_read(&p->jitdump);
	p->next_miss = clock_now_ns();
	p->next_miss += (p->next_miss - now) * LOOK_SHARE;
	p->next_look = p->next_miss + LOOK_NS;
	if (p->has_reported_full ||
	    !(p->perf_map.functions.is_full || p->jitdump.functions.is_full))
		return;
	p->has_reported_full = true;
	if (j->note)
		j->note(j->ctx, (int)p->pid,
			"it lists more code that it made than is kept: the rest has no "
			"names");
}

void jit_turn(struct jit *j, uint64_t now_ns)
{
	for (size_t i = 0; i < j->processes.len; i++) {
		struct process *p = j->processes.data[i];

		if (!p->is_live)
			continue;
		if (now_ns >= p->next_look)
			look(j, p, now_ns);
		if (now_ns >= p->next_search)
			search_jitdump(j, p, now_ns);
	}
}

uint64_t jit_wakeup(const struct jit *j)
{
	uint64_t at = UINT64_MAX;

	for (size_t i = 0; i < j->processes.len; i++) {
		const struct process *p = j->processes.data[i];

		if (p->is_live && p->next_search < at)
			at = p->next_search;
	}
	return at;
}

static const struct code_function *lookup(struct process *p, uint64_t address)
{
	const struct code_function *f = code_map_at(&p->perf_map.functions, address);

	return f ? f : code_map_at(&p->jitdump.functions, address);
}

const struct code_function *jit_at(struct jit *j, uint64_t pid, uint64_t address)
{
	struct process *p = find(j, pid);
	uint64_t now = clock_now_ns();
	const struct code_function *f;

	if (!p)
		return NULL;
	if (now >= p->next_look)
		look(j, p, now);
	f = lookup(p, address);
	if (f || now < p->next_miss)
		return f;
	look(j, p, now);
	return lookup(p, address);
}

void jit_look(struct jit *j, uint64_t pid)
{
	struct process *p = find(j, pid);

	if (p)
		look(j, p, clock_now_ns());
}

uint64_t jit_image(const struct jit *j, uint64_t pid)
{
	const struct process *p = find(j, pid);

	return p ? p->image : 0;
}

uint64_t jit_generation(const struct jit *j, uint64_t pid)
{
	const struct process *p = find(j, pid);

	return p ? p->perf_map.generation + p->jitdump.generation : 0;
}

void jit_each(struct jit *j, uint64_t pid, uint32_t after,
	      bool (*each)(void *ctx, const struct code_function *f, bool is_replaced),
	      void *ctx)
{
	struct process *p = find(j, pid);
	struct code_map *m;

	if (!p)
		return;
	m = p->perf_map.functions.functions.len ? &p->perf_map.functions
						: &p->jitdump.functions;
	code_map_settle(m);
	for (size_t i = 0; i < m->functions.len; i++)
		if (m->functions.data[i].serial > after &&
		    !each(ctx, &m->functions.data[i],
			  code_map_is_replaced(m, &m->functions.data[i])))
			return;
}

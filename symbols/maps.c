/* SPDX-License-Identifier: MIT */
/*
 * The lines of /proc/PID/maps -> the ELF objects in a process.
 *
 * The loader maps each segment of a file separately, changes of protection split the
 * mappings further, and one file may be loaded twice. Mappings belong to one object if
 * they have the same bias: the difference between the address of bytes and the address
 * that the program header gives them.
 */
#include "symbols/maps.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "symbols/elf/elf.h"
#include "symbols/internal.h"
#include "vm/base/host/log.h"
#include "vm/base/host/map.h"
#include "vm/base/host/oom.h"
#include "vm/base/proc/maps_line.h"
#include "vm/base/proc/procstat.h"
#include "vm/base/host/strbuf.h"
#include "vm/base/host/vec.h"

#define PAGE_SIZE_MIN 4096

/* How often, and how many us apart, the maps of one in execve(2) are read again. */
#define EXEC_TRIES 200
#define EXEC_PAUSE 1000

struct mapping {
	struct addr_range range;
	uint64_t offset, dev, ino;
	bool is_exec, is_written, is_deleted;
	const char *path; /* in maps_text.text */
};

/* A mapped file, opened once. */
struct object {
	uint64_t dev, ino;
	size_t next; /* 1 + index of another object with the same key, or 0 */
	bool is_elf, is_unreadable;
	bool has_start;	      /* one of its modules begins where the file does */
	Elf64_Phdr *segments; /* PT_LOAD only */
	size_t nsegments;
	char *soname;
	struct module *newest; /* of its modules */
	struct map by_bias;    /* 1 + index in reading.modules */
};

struct reading {
	const struct maps_text *from;
	size_t nlines;
	uint64_t executable; /* bytes, as the kernel counts them */
	struct {
		struct mapping *data;
		size_t len, cap;
	} mappings;
	struct {
		struct object *data;
		size_t len, cap;
	} objects;
	struct map by_file; /* object_key() -> 1 + index of the last such object */
	struct {
		struct module **data;
		size_t len, cap;
	} modules;
};

static void reading_release(struct reading *r)
{
	for (size_t i = 0; i < r->objects.len; i++) {
		free(r->objects.data[i].segments);
		free(r->objects.data[i].soname);
		map_release(&r->objects.data[i].by_bias);
	}
	map_release(&r->by_file);
	for (size_t i = 0; i < r->modules.len; i++)
		module_free(r->modules.data[i]);
	vec_release(&r->objects);
	vec_release(&r->modules);
	vec_release(&r->mappings);
}

/* Returns 0 or -errno. The text is empty if the thread has released its memory. */
static int read_maps_of(int tid, struct strbuf *text)
{
	char name[64], buf[16384];
	ssize_t n;
	int fd;

	strbuf_reset(text);
	snprintf(name, sizeof(name), "/proc/%d/maps", tid);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	do {
		n = read(fd, buf, sizeof(buf));
		if (n > 0)
			strbuf_add(text, buf, (size_t)n);
	} while (n > 0 || (n < 0 && errno == EINTR));
	n = n < 0 ? -errno : 0;
	close(fd);
	return (int)n;
}

/* Whether the thread will have memory: it is not the kernel's, and it does not end. */
static bool keeps_memory(int tid)
{
	struct procstat s;

	return procstat_read(tid, tid, &s) == 0 &&
	       procstat_field(s.text, PROCSTAT_FLAGS) &&
	       !(procstat_number(s.text, PROCSTAT_FLAGS) &
		 (PROCSTAT_EXITING | PROCSTAT_KTHREAD));
}

/* The first thread may have ended while others run. */
static int read_maps_of_others(int pid, struct maps_text *to, struct strbuf *text,
			       bool *is_in_exec)
{
	char name[64];
	struct dirent *d;
	int status = 0;
	DIR *dir;

	snprintf(name, sizeof(name), "/proc/%d/task", pid);
	dir = opendir(name);
	if (!dir)
		return -errno;
	while (!text->len && (d = readdir(dir)) != NULL) {
		to->tid = atoi(d->d_name);
		if (to->tid <= 0 || to->tid == pid)
			continue;
		status = read_maps_of(to->tid, text);
		*is_in_exec |= !text->len && keeps_memory(to->tid);
	}
	closedir(dir);
	return text->len ? 0 : status;
}

/*
 * Returns 0 or -errno. The text is empty if no thread has memory. *is_in_exec: one will
 * have. Its file was opened before execve(2) replaced its memory, and read after.
 */
static int read_maps_once(int pid, struct maps_text *to, struct strbuf *text,
			  bool *is_in_exec)
{
	int status;

	to->tid = pid;
	status = read_maps_of(pid, text);
	*is_in_exec = !text->len && keeps_memory(pid);
	if ((status == 0 || status == -ESRCH) && !text->len)
		status = read_maps_of_others(pid, to, text, is_in_exec);
	return status;
}

static int read_maps(int pid, struct maps_text *to, struct strbuf *text, struct err *e)
{
	bool is_in_exec;
	int status = read_maps_once(pid, to, text, &is_in_exec);

	for (int i = 0; i < EXEC_TRIES && !text->len && is_in_exec; i++) {
		usleep(EXEC_PAUSE);
		status = read_maps_once(pid, to, text, &is_in_exec);
	}
	if (status == -EACCES || status == -EPERM)
		return err_set(
			e, STATUS_PERM,
			"cannot read the memory map of process %d: not permitted; "
			"run as its owner or as root",
			pid);
	if (status == -ENOENT || status == -ESRCH)
		return err_set(e, STATUS_GONE, "process %d does not exist", pid);
	if (status < 0) {
		errno = -status;
		return err_errno(e, STATUS_IO,
				 "cannot read the memory map of process %d", pid);
	}
	if (!text->len)
		return err_set(
			e, STATUS_GONE,
			"process %d has no memory: it has ended or belongs to the "
			"kernel",
			pid);
	return 0;
}

static bool parse_mapping(char *line, struct mapping *m)
{
	struct maps_line l;

	if (!maps_line_parse(line, &l))
		return false;
	l.path[l.path_length] = '\0';
	*m = (struct mapping){
		.range = {taddr_of(l.lo), taddr_of(l.hi)},
		.offset = l.offset,
		.dev = makedev(l.major, l.minor),
		.ino = l.inode,
		.is_exec = l.perms[2] == 'x',
		.is_written = l.perms[1] == 'w',
		.is_deleted = l.is_deleted,
		.path = l.path,
	};
	return true;
}

static void parse_maps(struct reading *r)
{
	char *save = NULL;

	for (char *line = strtok_r(r->from->text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		struct mapping m;

		r->nlines++;
		if (!parse_mapping(line, &m) || m.range.lo.v >= m.range.hi.v)
			continue;
		/* [vsyscall] is none of its mappings */
		if (m.is_exec && !m.is_written && m.range.lo.v <= INT64_MAX)
			r->executable += m.range.hi.v - m.range.lo.v;
		if (m.path[0])
			*vec_push(&r->mappings) = m;
	}
}

static void read_exe(struct maps_text *to)
{
	char name[64];
	struct stat st;
	ssize_t n;

	snprintf(name, sizeof(name), "/proc/%d/exe", to->tid);
	if (stat(name, &st) == 0) {
		to->exe_dev = st.st_dev;
		to->exe_ino = st.st_ino;
	}
	n = readlink(name, to->exe_path, sizeof(to->exe_path) - 1);
	to->exe_path[n > 0 ? n : 0] = '\0';
}

/* The path is for file systems whose device number in maps differs from stat(2). */
static bool is_exe(const struct maps_text *t, const struct mapping *m)
{
	size_t n = strlen(m->path);

	if (m->ino != t->exe_ino)
		return false;
	return m->dev == t->exe_dev ||
	       (strncmp(t->exe_path, m->path, n) == 0 &&
		(!t->exe_path[n] || strcmp(t->exe_path + n, " (deleted)") == 0));
}

static struct mapped_file mapped_file_of(const struct reading *r,
					 const struct mapping *m)
{
	return (struct mapped_file){.tid = r->from->tid,
				    .range = m->range,
				    .dev = m->dev,
				    .ino = m->ino,
				    .path = m->path,
				    .is_exe = is_exe(r->from, m)};
}

static void read_object(const struct reading *r, const struct mapping *m,
			struct object *o)
{
	struct mapped_file file = mapped_file_of(r, m);
	struct elf_file f;
	struct err e;
	int fd, status = r->from->open(&file, &fd, &e);

	*o = (struct object){.dev = m->dev, .ino = m->ino};
	if (status) {
		log_debug("symbols", "%s", e.text);
		/* devices and generated code contain no ELF object */
		o->is_unreadable = status != STATUS_INVAL &&
				   strncmp(m->path, "/dev/", 5) != 0 &&
				   strncmp(m->path, "/memfd:", 7) != 0;
		return;
	}
	if (elf_open_segments(&f, fd, m->path, &e) != 0) {
		log_debug("symbols", "%s", e.text);
		return;
	}
	o->is_elf = true;
	o->soname = elf_soname(&f);
	for (size_t i = 0; i < f.nsegments; i++)
		if (f.segments[i].p_type == PT_LOAD)
			f.segments[o->nsegments++] = f.segments[i];
	o->segments = f.segments;
	f.segments = NULL;
	elf_release(&f);
}

static uint64_t object_key(const struct mapping *m)
{
	return m->ino ^ m->dev << 40;
}

/* NULL: no mapping of the file was seen so far. */
static struct object *find_object(const struct reading *r, const struct mapping *m)
{
	uint64_t i = 0;

	map_get(&r->by_file, object_key(m), &i);
	while (i && (r->objects.data[i - 1].dev != m->dev ||
		     r->objects.data[i - 1].ino != m->ino))
		i = r->objects.data[i - 1].next;
	return i ? &r->objects.data[i - 1] : NULL;
}

/* Valid until the next call. */
static struct object *object_of(struct reading *r, const struct mapping *m)
{
	struct object *o = find_object(r, m);
	uint64_t same = 0;

	if (o)
		return o;
	o = vec_push(&r->objects);
	read_object(r, m, o);
	map_get(&r->by_file, object_key(m), &same);
	o->next = (size_t)same;
	map_set(&r->by_file, object_key(m), r->objects.len);
	return o;
}

/* The bias of the mapping if it maps bytes of the i-th segment; false: it does not. */
static bool bias_by_segment(const struct object *o, const struct mapping *m, size_t i,
			    uint64_t *bias)
{
	const Elf64_Phdr *p = &o->segments[i];
	uint64_t first = align_down(p->p_offset, PAGE_SIZE_MIN);

	if (p->p_filesz > UINT64_MAX - p->p_offset || m->offset < first ||
	    m->offset >= p->p_offset + p->p_filesz ||
	    (m->is_exec && !(p->p_flags & PF_X)))
		return false;
	*bias = m->range.lo.v - (p->p_vaddr + (m->offset - p->p_offset));
	return *bias % PAGE_SIZE_MIN == 0;
}

/*
 * The same for a mapping of more than the segment, whose code then is executable with
 * what lies before it in the file.
 */
static bool bias_by_content(const struct object *o, const struct mapping *m, size_t i,
			    uint64_t *bias)
{
	const Elf64_Phdr *p = &o->segments[i];
	uint64_t size = m->range.hi.v - m->range.lo.v;

	if (!m->is_exec || !(p->p_flags & PF_X) || m->offset > p->p_offset ||
	    p->p_offset - m->offset >= size)
		return false;
	*bias = m->range.lo.v + (p->p_offset - m->offset) - p->p_vaddr;
	return *bias % PAGE_SIZE_MIN == 0;
}

/* Whether the mapping begins with the first segment of the file. */
static bool is_start(const struct object *o, const struct mapping *m)
{
	return o->nsegments &&
	       m->offset == align_down(o->segments[0].p_offset, PAGE_SIZE_MIN);
}

static struct module *find_module(const struct reading *r, const struct object *o,
				  uint64_t bias)
{
	uint64_t i = 0;

	map_get(&o->by_bias, bias, &i);
	return i ? r->modules.data[i - 1] : NULL;
}

static struct module *add_module(struct reading *r, const struct mapping *m,
				 struct object *o, uint64_t bias)
{
	struct module *x = oom_calloc(1, sizeof(*x));
	const char *slash = strrchr(m->path, '/');

	x->internal = oom_calloc(1, sizeof(*x->internal));
	x->name = oom_strdup(slash ? slash + 1 : m->path);
	x->path = oom_strdup(m->path);
	x->soname = oom_strdup(o ? o->soname : NULL);
	x->bias = bias;
	x->lo = m->range.lo;
	x->hi = m->range.hi;
	x->dev = m->dev;
	x->ino = m->ino;
	x->is_deleted = m->is_deleted;
	x->is_vdso = !o;
	x->is_exe = o && is_exe(r->from, m);
	x->internal->file = mapped_file_of(r, m);
	x->internal->file.path = x->path;
	*vec_push(&r->modules) = x;
	if (o) {
		module_join_file(x, o->newest);
		o->newest = x;
		map_set(&o->by_bias, bias, r->modules.len);
	}
	return x;
}

static void extend_module(struct module *x, struct object *o, const struct mapping *m)
{
	x->internal->has_start |= is_start(o, m);
	o->has_start |= x->internal->has_start;
	x->lo.v = min_u64(x->lo.v, m->range.lo.v);
	x->hi.v = max_u64(x->hi.v, m->range.hi.v);
}

/*
 * An executable mapping makes a module or extends one. So does one of an unreadable
 * file, with a guessed bias: loading its symbols then reports the error.
 */
static void add_code(struct reading *r, const struct mapping *m)
{
	struct object *o = object_of(r, m);
	bool is_known = o->is_unreadable;
	uint64_t bias = m->range.lo.v - m->offset;
	struct module *x;

	for (size_t i = 0; o->is_elf && i < o->nsegments && !is_known; i++)
		is_known = bias_by_segment(o, m, i, &bias);
	for (size_t i = 0; o->is_elf && i < o->nsegments && !is_known; i++)
		is_known = bias_by_content(o, m, i, &bias);
	if (!is_known)
		return;
	x = o->is_unreadable ? o->newest : find_module(r, o, bias);
	if (!x)
		x = add_module(r, m, o, bias);
	extend_module(x, o, m);
	x->executable += m->range.hi.v - m->range.lo.v;
}

/* Other mappings only extend existing modules. */
static void add_data(struct reading *r, const struct mapping *m)
{
	struct object *o = find_object(r, m);
	uint64_t bias;

	if (!o || !o->newest)
		return;
	if (o->is_unreadable)
		extend_module(o->newest, o, m);
	for (size_t i = 0; i < o->nsegments; i++) {
		struct module *x = NULL;

		if (bias_by_segment(o, m, i, &bias))
			x = find_module(r, o, bias);
		if (x)
			extend_module(x, o, m);
	}
}

/*
 * A program may map some bytes of its file again, as V8 does, to have that code near
 * generated code. Such a module has only these bytes of the file.
 */
static void mark_parts(struct reading *r)
{
	for (size_t i = 0; i < r->modules.len; i++) {
		struct module *x = r->modules.data[i];
		const struct mapping of = {.dev = x->dev, .ino = x->ino};
		const struct object *o = x->is_vdso ? NULL : find_object(r, &of);

		x->is_part = o && o->has_start && !x->internal->has_start;
		x->is_exe &= !x->is_part;
	}
}

static void group_mappings(struct reading *r)
{
	for (size_t i = 0; i < r->mappings.len; i++) {
		const struct mapping *m = &r->mappings.data[i];

		if (strcmp(m->path, "[vdso]") == 0)
			add_module(r, m, NULL, m->range.lo.v);
		else if (m->path[0] == '/' && m->is_exec)
			add_code(r, m);
	}
	for (size_t i = 0; i < r->mappings.len; i++) {
		const struct mapping *m = &r->mappings.data[i];

		if (m->path[0] == '/' && !m->is_exec)
			add_data(r, m);
	}
	mark_parts(r);
}

static int compare_modules(const void *a, const void *b)
{
	const struct module *x = *(struct module *const *)a;
	const struct module *y = *(struct module *const *)b;

	return (x->lo.v > y->lo.v) - (x->lo.v < y->lo.v);
}

struct modules *maps_modules(const struct maps_text *from)
{
	struct modules *ms = oom_calloc(1, sizeof(*ms));
	struct reading r = {.from = from};

	parse_maps(&r);
	group_mappings(&r);
	if (r.modules.len)
		qsort(r.modules.data, r.modules.len, sizeof(*r.modules.data),
		      compare_modules);
	ms->data = r.modules.data;
	ms->len = r.modules.len;
	ms->nmappings = r.nlines;
	ms->executable = r.executable;
	modules_update(ms);
	r.modules.data = NULL;
	r.modules.len = 0;
	reading_release(&r);
	return ms;
}

int modules_read(int pid, struct modules **out, struct err *e)
{
	struct maps_text from = {.open = file_open_mapped};
	struct strbuf text = {0};
	int status = read_maps(pid, &from, &text, e);

	if (!status) {
		read_exe(&from);
		from.text = text.data;
		*out = maps_modules(&from);
		(*out)->pid = pid;
	}
	strbuf_release(&text);
	return status;
}

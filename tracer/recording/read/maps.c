/* SPDX-License-Identifier: MIT */
#include "tracer/recording/read/maps.h"
#include "vm/base/host/map.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/strbuf.h"
#include "vm/base/host/vec.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PROCESS_MAX 2048    /* mappings of one */
#define ALL_MAX	    4194304 /* of all */
#define FILES_MAX   1048576

/* A file, as it was recorded. */
struct file {
	char *path, *copy; /* copy: where perf keeps one; or NULL */
	struct recorded_build_id id;
	uint64_t inode;
	struct module *first; /* never mapped: keeps the tables of all of the file */
};

struct mapping {
	uint64_t address, size, offset;
	uint32_t file;
	bool is_named; /* it has a module */
};

struct process {
	uint32_t pid;
	struct {
		struct mapping *data;
		size_t len, cap;
	} maps;
	bool is_changed; /* since its modules were made */
	size_t room;	 /* of modules.data */
	struct modules modules;
};

struct recorded_maps {
	const struct header *header;
	struct map by_pid; /* -> 1 + place in list */
	struct {
		struct process **data;
		size_t len, cap;
	} list;
	struct strmap by_file; /* path and identity -> place in files */
	struct {
		struct file *data;
		size_t len, cap;
	} files;
	size_t count; /* mappings of all */
};

struct recorded_maps *recorded_maps_new(const struct header *h)
{
	struct recorded_maps *m = oom_calloc(1, sizeof(*m));

	m->header = h;
	return m;
}

static void free_process(struct process *p, struct ustack *u)
{
	if (u)
		ustack_set(u, (int)p->pid, NULL);
	for (size_t i = 0; i < p->modules.len; i++)
		module_free(p->modules.data[i]);
	free(p->modules.data);
	free(p->modules.reach);
	vec_release(&p->maps);
	free(p);
}

void recorded_maps_free(struct recorded_maps *m, struct ustack *u)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->list.len; i++)
		free_process(m->list.data[i], u);
	for (size_t i = 0; i < m->files.len; i++) {
		module_free(m->files.data[i].first);
		free(m->files.data[i].path);
		free(m->files.data[i].copy);
	}
	map_release(&m->by_pid);
	vec_release(&m->list);
	strmap_release(&m->by_file);
	vec_release(&m->files);
	free(m);
}

static struct process *find(const struct recorded_maps *m, uint32_t pid)
{
	uint64_t place;

	return map_get(&m->by_pid, pid, &place) ? m->list.data[place - 1] : NULL;
}

static struct process *get(struct recorded_maps *m, uint32_t pid)
{
	struct process *p = find(m, pid);

	if (p)
		return p;
	p = oom_calloc(1, sizeof(*p));
	p->pid = pid;
	p->modules.pid = (int)pid;
	*vec_push(&m->list) = p;
	map_set(&m->by_pid, pid, m->list.len);
	return p;
}

/* ---- files ---- */

static void add_hex(struct strbuf *text, const uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		strbuf_printf(text, "%02x", bytes[i]);
}

/* Where perf keeps a copy of the file: ~/.debug/.build-id/12/34.../elf */
static char *copy_of(const struct recorded_build_id *id)
{
	const char *home = getenv("HOME");
	struct strbuf path = {0};

	if (!home || id->n < 2)
		return NULL;
	strbuf_printf(&path, "%s/.debug/.build-id/%02x/", home, id->bytes[0]);
	add_hex(&path, id->bytes + 1, id->n - 1);
	strbuf_puts(&path, "/elf");
	return path.data;
}

static struct file make_file(const struct recorded_maps *m,
			     const struct recorded_map *map)
{
	const struct recorded_build_id *known = header_build_id(m->header, map->path);
	struct file f = {.path = oom_strdup(map->path), .inode = map->inode};

	if (map->build_id_size) {
		f.id.n = map->build_id_size;
		memcpy(f.id.bytes, map->build_id, f.id.n);
	} else if (known) {
		f.id = *known;
	}
	f.copy = copy_of(&f.id);
	return f;
}

/* The number of the file in files. */
static uint32_t file_of(struct recorded_maps *m, const struct recorded_map *map)
{
	struct strbuf key = {0};
	uint64_t place;

	add_hex(&key, map->build_id, map->build_id_size);
	strbuf_printf(&key, " %" PRIu64 " %s", map->inode, map->path);
	if (!strmap_get(&m->by_file, key.data, &place)) {
		place = m->files.len;
		if (place < FILES_MAX) {
			*vec_push(&m->files) = make_file(m, map);
			strmap_set(&m->by_file, key.data, place);
		}
	}
	strbuf_release(&key);
	return (uint32_t)place;
}

/* ---- mappings ---- */

static bool overlaps(uint64_t a, uint64_t n, uint64_t b, uint64_t m)
{
	return a < b + m && b < a + n;
}

/* What was there is no more. */
static void remove_at(struct recorded_maps *m, struct process *p, uint64_t address,
		      uint64_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < p->maps.len; i++)
		if (!overlaps(p->maps.data[i].address, p->maps.data[i].size, address,
			      size))
			p->maps.data[n++] = p->maps.data[i];
	m->count -= p->maps.len - n;
	p->maps.len = n;
}

void recorded_maps_add(struct recorded_maps *m, const struct recorded_map *map)
{
	struct process *p = get(m, map->pid);
	uint32_t file;

	/* memory that is of no file has no names: "//anon" */
	if (!map->size || map->size > UINT64_MAX - map->address ||
	    strncmp(map->path, "//", 2) == 0)
		return;
	remove_at(m, p, map->address, map->size);
	p->is_changed = true;
	file = file_of(m, map);
	if (p->maps.len >= PROCESS_MAX || m->count >= ALL_MAX || file >= m->files.len)
		return;
	*vec_push(&p->maps) = (struct mapping){
		.address = map->address,
		.size = map->size,
		.offset = map->offset,
		.file = file,
	};
	m->count++;
}

void recorded_maps_exec(struct recorded_maps *m, uint32_t pid)
{
	struct process *p = find(m, pid);

	if (!p)
		return;
	m->count -= p->maps.len;
	vec_release(&p->maps);
	p->is_changed = true;
}

void recorded_maps_fork(struct recorded_maps *m, uint32_t pid, uint32_t parent)
{
	const struct process *from = find(m, parent);
	struct process *p;

	if (!from || pid == parent)
		return;
	p = get(m, pid);
	recorded_maps_exec(m, pid);
	for (size_t i = 0; i < from->maps.len && m->count < ALL_MAX; i++) {
		*vec_push(&p->maps) = from->maps.data[i];
		p->maps.data[i].is_named = false;
		m->count++;
	}
	p->is_changed = true;
}

/* ---- modules ---- */

static struct module *make_module(struct file *f, const struct mapping *map)
{
	struct recorded_code code = {
		.lo = taddr_of(map->address),
		.size = map->size,
		.offset = map->offset,
		.path = f->path,
		.copy = f->copy,
		.build_id = f->id.bytes,
		.build_id_size = f->id.n,
		.inode = f->inode,
	};

	if (!f->first)
		f->first = module_of_recorded(&code, NULL);
	return module_of_recorded(&code, f->first);
}

/* The mapping of which the module is; NULL: it is mapped no more. */
static struct mapping *find_mapping(const struct process *p, const struct module *mod)
{
	for (size_t i = 0; i < p->maps.len; i++)
		if (p->maps.data[i].is_named && p->maps.data[i].address == mod->lo.v)
			return &p->maps.data[i];
	return NULL;
}

static int compare_modules(const void *a, const void *b)
{
	const struct module *const *x = a, *const *y = b;

	if ((*x)->lo.v != (*y)->lo.v)
		return (*x)->lo.v < (*y)->lo.v ? -1 : 1;
	return 0;
}

static void push_module(struct process *p, struct module *mod)
{
	struct modules *ms = &p->modules;

	if (ms->len == p->room) {
		p->room = p->room ? 2 * p->room : 16;
		ms->data = oom_realloc(ms->data, p->room * sizeof(struct module *));
	}
	ms->data[ms->len++] = mod;
}

void recorded_maps_name(struct recorded_maps *m, struct ustack *u, uint32_t pid,
			uint64_t now)
{
	struct process *p = find(m, pid);
	size_t n = 0;

	if (!p || !u || !p->is_changed)
		return;
	for (size_t i = 0; i < p->modules.len; i++) {
		struct module *mod = p->modules.data[i];

		if (find_mapping(p, mod))
			p->modules.data[n++] = mod;
		else
			ustack_retire_at(u, (int)pid, mod, now);
	}
	p->modules.len = n;
	for (size_t i = 0; i < p->maps.len; i++) {
		struct mapping *map = &p->maps.data[i];

		if (!map->is_named)
			push_module(p, make_module(&m->files.data[map->file], map));
		map->is_named = true;
	}
	if (p->modules.len)
		qsort(p->modules.data, p->modules.len, sizeof(struct module *),
		      compare_modules);
	modules_update(&p->modules);
	p->is_changed = false;
	ustack_set(u, (int)pid, &p->modules);
}

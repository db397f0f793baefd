/* SPDX-License-Identifier: MIT */
/*
 * Modules after they are read: selection by a probe description, lookup by address, and
 * their release.
 */
#include "symbols/symbols.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols/elf/file.h"
#include "symbols/internal.h"
#include "symbols/shared_tables.h"
#include "symbols/symtab.h"
#include "vm/base/host/glob.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/search.h"
#include "vm/base/host/strbuf.h"
#include "vm/base/host/vec.h"
#include "vm/base/str.h"

void module_free(struct module *m)
{
	if (!m || share_keeps(m))
		return;
	share_leave_file(m);
	budget_forget(m->internal->kept);
	symtab_release(m);
	elf_symbols_release(&m->internal->full);
	elf_symbols_release(&m->internal->dynamic);
	free(m->internal->go_table);
	free(m->internal->readable);
	arena_release(&m->internal->names);
	vec_release(&m->internal->signal_returns);
	vec_release(&m->internal->variables);
	vec_release(&m->internal->go.assembly);
	if (m->internal->held)
		close(m->internal->held - 1);
	free(m->internal->load_error);
	free(m->internal);
	free(m->name);
	free(m->path);
	free(m->soname);
	free(m->debug_path);
	free(m);
}

void modules_free(struct modules *ms)
{
	if (!ms)
		return;
	for (size_t i = 0; i < ms->len; i++)
		module_free(ms->data[i]);
	free(ms->data);
	free(ms->reach);
	free(ms);
}

void modules_update(struct modules *ms)
{
	taddr reach = {0};

	ms->reach = oom_realloc(ms->reach, (ms->len + 1) * sizeof(*ms->reach));
	for (size_t i = 0; i < ms->len; i++) {
		reach.v = max_u64(reach.v, ms->data[i]->hi.v);
		ms->reach[i] = reach;
	}
}

static const char *base_of(const struct module *m)
{
	return m->link_map ? strchr(m->name, '`') + 1 : m->name;
}

void module_set_link_map(struct module *m, unsigned link_map)
{
	struct strbuf name = {0};

	if (link_map)
		strbuf_printf(&name, "LM%x`", link_map);
	strbuf_puts(&name, base_of(m));
	free(m->name);
	m->name = name.data;
	m->link_map = link_map;
}

/* Whether name is field, then a dot and more. */
static bool is_up_to_dot(const char *name, const char *field)
{
	size_t n = strlen(field);

	return strncmp(name, field, n) == 0 && name[n] == '.';
}

/* The rules that select one object, in order: the first that finds any counts. */
enum meaning {
	MEANS_EXE,
	MEANS_PATH,
	MEANS_SAME_FILE,
	MEANS_NAME,
	MEANS_NAME_UP_TO_DOT,
	MEANS_SONAME,
	MEANS_SONAME_UP_TO_DOT,
	MEANS_LINK_BESIDE,
	MEANINGS,
};

static bool is_meant(const struct module *m, const char *field, enum meaning how,
		     int fd)
{
	switch (how) {
	case MEANS_EXE:
		return m->is_exe && strcmp(field, "a.out") == 0;
	case MEANS_PATH:
		return strcmp(m->path, field) == 0;
	case MEANS_SAME_FILE:
		return field[0] == '/' && fd >= 0 && file_is_same(fd, m->dev, m->ino);
	case MEANS_NAME:
		return strcmp(base_of(m), field) == 0;
	case MEANS_NAME_UP_TO_DOT:
		return is_up_to_dot(base_of(m), field);
	case MEANS_SONAME:
		return m->soname && strcmp(m->soname, field) == 0;
	case MEANS_SONAME_UP_TO_DOT:
		return m->soname && is_up_to_dot(m->soname, field);
	case MEANS_LINK_BESIDE:
		return m->is_exe && fd >= 0 && file_is_same(fd, m->dev, m->ino);
	default:
		return false;
	}
}

/* Opens the file with that name in the directory of the executable; -1: there is none. */
static int open_beside(const struct modules *ms, const char *field)
{
	const struct module *exe = NULL;
	struct err ignored;
	size_t folder;
	char *path;
	int fd = -1;

	for (size_t i = 0; i < ms->len && !exe; i++)
		if (ms->data[i]->is_exe)
			exe = ms->data[i];
	if (!exe || !strrchr(exe->path, '/') || strchr(field, '/'))
		return -1;
	folder = (size_t)(strrchr(exe->path, '/') + 1 - exe->path);
	path = oom_calloc(folder + strlen(field) + 1, 1);
	memcpy(path, exe->path, folder);
	strcpy(path + folder, field);
	file_open_in_root(exe->internal->file.tid, path, &fd, &ignored);
	free(path);
	return fd;
}

/* Removes the prefix LM<n>` from a field; true if it has one. */
static bool cut_link_map(const char **field, unsigned *number)
{
	char *end;

	if (strncmp(*field, "LM", 2) != 0 || !isxdigit((unsigned char)(*field)[2]))
		return false;
	*number = (unsigned)strtoul(*field + 2, &end, 16);
	if (*end != '`')
		return false;
	*field = end + 1;
	return true;
}

/*
 * mmap(2) allocates downwards, so the highest object was loaded first. The initial link
 * map is preferred.
 */
static struct module *find_meant(const struct modules *ms, const char *field)
{
	struct module *found = NULL;
	unsigned link_map = 0;
	bool is_certain = cut_link_map(&field, &link_map);
	struct err e;
	int fd = -1;

	/* /lib/libc.so.6 if /lib is a link to /usr/lib; redis-server, a link beside it */
	if (field[0] == '/' && ms->len)
		file_open_in_root(ms->data[0]->internal->file.tid, field, &fd, &e);
	else
		fd = open_beside(ms, field);
	for (int how = 0; how < MEANINGS && !found; how++) {
		for (size_t i = ms->len; i > 0; i--) {
			struct module *m = ms->data[i - 1];

			if ((!found || (found->link_map && !m->link_map)) &&
			    !m->is_part && (!is_certain || m->link_map == link_map) &&
			    is_meant(m, field, (enum meaning)how, fd))
				found = m;
		}
	}
	if (fd >= 0)
		close(fd);
	return found;
}

/* Whether the glob matches its base name, alone or with its link map. */
static bool is_matched(const struct module *m, const char *pattern)
{
	char qualified[512];

	snprintf(qualified, sizeof(qualified), "LM%x`%s", m->link_map, base_of(m));
	return glob_match(pattern, base_of(m)) || glob_match(pattern, qualified);
}

static size_t select_parts(const struct modules *ms, const struct module *of,
			   void (*found)(void *ctx, struct module *m), void *ctx)
{
	size_t n = 0;

	for (size_t i = 0; i < ms->len; i++) {
		struct module *m = ms->data[i];

		if (!m->is_part || m->dev != of->dev || m->ino != of->ino)
			continue;
		found(ctx, m);
		n++;
	}
	return n;
}

size_t modules_select(const struct modules *ms, const char *field,
		      void (*found)(void *ctx, struct module *m), void *ctx)
{
	struct module *meant;
	size_t n = 0;

	if (field[0] && !glob_is_pattern(field)) {
		meant = find_meant(ms, field);
		if (meant)
			found(ctx, meant);
		return meant ? 1 + select_parts(ms, meant, found, ctx) : 0;
	}
	for (size_t i = 0; i < ms->len; i++) {
		if (field[0] && !is_matched(ms->data[i], field))
			continue;
		found(ctx, ms->data[i]);
		n++;
	}
	return n;
}

struct selection {
	const struct module *wanted;
	bool is_selected;
};

static void compare(void *ctx, struct module *m)
{
	struct selection *s = ctx;

	s->is_selected |= m == s->wanted;
}

bool modules_selects(const struct modules *ms, const char *field,
		     const struct module *wanted)
{
	struct selection s = {.wanted = wanted};

	modules_select(ms, field, compare, &s);
	return s.is_selected;
}

bool module_is_signal_return(const struct module *m, taddr pc)
{
	for (size_t i = 0; i < m->internal->signal_returns.len; i++) {
		const struct symbol_part *p = &m->internal->signal_returns.data[i];

		if (pc.v - m->bias - p->value < p->size)
			return true;
	}
	return false;
}

enum regs_convention symbol_convention(const struct module *m, const struct symbol *s)
{
	const struct go_code *go = &m->internal->go;

	if (s->value < go->lo || s->value >= go->hi)
		return REGS_CONVENTION_C;
	if (str_has_end(s->name, ".abi0"))
		return REGS_CONVENTION_GO_STACK;
	if (go_code_assembly(go, s->value))
		return REGS_CONVENTION_UNKNOWN;
	return go->convention;
}

bool module_has(const struct module *m, uint64_t value, uint64_t size)
{
	uint64_t at = value + m->bias - m->lo.v, n = m->hi.v - m->lo.v;

	return !m->is_part || (at < n && size <= n - at);
}

/* If one object encloses another, the inner one begins later. */
struct module *modules_at(const struct modules *ms, taddr pc)
{
	size_t lo = 0, n = ms->len; /* how many begin at or before pc */

	while (lo < n) {
		size_t mid = lo + (n - lo) / 2;

		if (ms->data[mid]->lo.v <= pc.v)
			lo = mid + 1;
		else
			n = mid;
	}
	for (size_t i = n; i > 0 && ms->reach[i - 1].v > pc.v; i--) {
		if (taddr_in(pc, ms->data[i - 1]->lo, ms->data[i - 1]->hi))
			return ms->data[i - 1];
	}
	return NULL;
}

static bool range_holds(uint64_t value, uint64_t size, uint64_t at)
{
	return at >= value && at - value < size;
}

bool symbol_holds(const struct module *m, const struct symbol *s, taddr pc)
{
	uint64_t at = pc.v - m->bias;
	bool is_in = range_holds(s->value, s->size, at);

	for (uint32_t i = 0; i < s->nparts && !is_in; i++) {
		const struct symbol_part *p = &m->parts[s->first_part + i];

		is_in = range_holds(p->value, p->size, at);
	}
	return is_in;
}

static const struct symbol *symbol_with_part(const struct module *m, uint64_t at)
{
	const struct part_entry *parts = m->internal->by_part;
	size_t n = 0;

	if (m->nparts)
		n = search_at_most(&parts->value, m->nparts, sizeof(*parts), at);
	if (!n || !range_holds(parts[n - 1].value, parts[n - 1].size, at))
		return NULL;
	return &m->symbols[parts[n - 1].symbol];
}

/*
 * Of the functions that hold the address, the one that begins last; of its aliases, the
 * preferred one. reach[] tells when no earlier function can hold it.
 */
const struct symbol *module_at(const struct module *m, taddr pc)
{
	uint64_t at = pc.v - m->bias;
	const struct symbol *found = NULL;
	size_t n = 0;

	if (m->nsymbols)
		n = search_at_most(&m->symbols->value, m->nsymbols, sizeof(*m->symbols),
				   at);
	for (size_t i = n; i > 0; i--) {
		const struct symbol *s = &m->symbols[i - 1];

		if (m->internal->reach[i - 1] <= at ||
		    (found && s->value != found->value))
			break;
		if (range_holds(s->value, s->size, at))
			found = s;
	}
	return found ? found : symbol_with_part(m, at);
}

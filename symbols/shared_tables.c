/* SPDX-License-Identifier: MIT */
/*
 * Tables of functions shared by modules of one file. The lender owns them and lives, if
 * its owner frees it, for as long as a borrower does.
 */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbols/internal.h"
#include "symbols/shared_tables.h"
#include "vm/base/host/oom.h"

static void read_stamp(int fd, struct file_stamp *out)
{
	struct stat st;

	*out = (struct file_stamp){0};
	if (fstat(fd, &st) < 0)
		return;
	out->size = (uint64_t)st.st_size;
	out->modified = st.st_mtim;
	out->changed = st.st_ctim;
}

static bool is_same_stamp(const struct file_stamp *a, const struct file_stamp *b)
{
	return a->size && a->size == b->size &&
	       a->modified.tv_sec == b->modified.tv_sec &&
	       a->modified.tv_nsec == b->modified.tv_nsec &&
	       a->changed.tv_sec == b->changed.tv_sec &&
	       a->changed.tv_nsec == b->changed.tv_nsec;
}

static bool stamp_of(const struct module *m, struct file_stamp *out)
{
	struct err e;
	int fd;

	if (m->own->is_plain || file_open_mapped(&m->own->file, &fd, &e))
		return false;
	read_stamp(fd, out);
	close(fd);
	return true;
}

void share_stamp(struct module *m)
{
	if (m->is_vdso || !stamp_of(m, &m->own->stamp))
		m->own->stamp = (struct file_stamp){0};
}

/* Inodes are used again, and libraries written over: the times tell. */
static bool is_same_file(const struct module *m, const struct module *from)
{
	struct file_stamp now;

	return m->dev == from->dev && m->ino == from->ino &&
	       strcmp(m->path, from->path) == 0 && from->own->stamp.size &&
	       stamp_of(m, &now) && is_same_stamp(&now, &from->own->stamp);
}

bool module_stamp(const struct module *m, struct module_stamp *out)
{
	const struct file_stamp *s = &m->own->stamp;

	*out = (struct module_stamp){
		.dev = m->dev,
		.ino = m->ino,
		.size = s->size,
		.modified = {s->modified.tv_sec, s->modified.tv_nsec},
		.changed = {s->changed.tv_sec, s->changed.tv_nsec},
	};
	return s->size != 0;
}

bool module_is_same_stamp(const struct module_stamp *a, const struct module_stamp *b)
{
	return a->size && a->dev == b->dev && a->ino == b->ino && a->size == b->size &&
	       memcmp(a->modified, b->modified, sizeof(a->modified)) == 0 &&
	       memcmp(a->changed, b->changed, sizeof(a->changed)) == 0;
}

static char *copy_text(const char *text)
{
	size_t n = text ? strlen(text) + 1 : 0;

	return n ? memcpy(oom_realloc(NULL, n), text, n) : NULL;
}

bool module_share_symbols(struct module *m, struct module *from)
{
	struct module_own *own = m->own;
	struct module *lender = from->own->lender ? from->own->lender : from;

	if (own->is_loaded || !from->own->is_loaded || from->own->load_status ||
	    m->is_vdso || !is_same_file(m, from))
		return false;
	m->symbols = lender->symbols;
	m->nsymbols = lender->nsymbols;
	m->parts = lender->parts;
	m->nparts = lender->nparts;
	m->source = lender->source;
	m->is_stripped = lender->is_stripped;
	m->debug_path = copy_text(lender->debug_path);
	own->full = lender->own->full;
	own->dynamic = lender->own->dynamic;
	own->by_name = lender->own->by_name;
	own->reach = lender->own->reach;
	own->by_part = lender->own->by_part;
	own->signal_returns = lender->own->signal_returns;
	own->stamp = lender->own->stamp;
	own->is_loaded = true;
	own->lender = lender;
	lender->own->nborrowers++;
	return true;
}

bool share_keeps(struct module *m)
{
	struct module *lender = m->own->lender;

	m->own->is_freed = true;
	if (m->own->nborrowers)
		return true;
	if (!lender)
		return false;
	m->symbols = NULL;
	m->parts = NULL;
	m->own->full = m->own->dynamic = (struct elf_symbols){0};
	m->own->by_name = NULL;
	m->own->reach = NULL;
	m->own->by_part = NULL;
	memset(&m->own->signal_returns, 0, sizeof(m->own->signal_returns));
	lender->own->nborrowers--;
	if (lender->own->is_freed)
		module_free(lender);
	return false;
}

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

	if (m->internal->is_plain || file_open_mapped(&m->internal->file, &fd, &e))
		return false;
	read_stamp(fd, out);
	close(fd);
	return true;
}

void share_stamp(struct module *m)
{
	if (m->is_vdso || !stamp_of(m, &m->internal->stamp))
		m->internal->stamp = (struct file_stamp){0};
}

/* Inodes are used again, and libraries written over: the times tell. */
static bool is_same_file(const struct module *m, const struct module *from)
{
	struct file_stamp now;

	return m->dev == from->dev && m->ino == from->ino &&
	       strcmp(m->path, from->path) == 0 && from->internal->stamp.size &&
	       stamp_of(m, &now) && is_same_stamp(&now, &from->internal->stamp);
}

bool module_stamp(const struct module *m, struct module_stamp *out)
{
	const struct file_stamp *s = &m->internal->stamp;

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

bool module_share_symbols(struct module *m, struct module *from)
{
	struct module_internal *in = m->internal;
	struct module *lender = from->internal->lender ? from->internal->lender : from;

	if (in->is_loaded || !from->internal->is_loaded ||
	    from->internal->load_status || m->is_vdso || !is_same_file(m, from))
		return false;
	m->symbols = lender->symbols;
	m->nsymbols = lender->nsymbols;
	m->parts = lender->parts;
	m->nparts = lender->nparts;
	m->source = lender->source;
	m->is_stripped = lender->is_stripped;
	m->debug_path = oom_strdup(lender->debug_path);
	in->full = lender->internal->full;
	in->dynamic = lender->internal->dynamic;
	in->by_name = lender->internal->by_name;
	in->reach = lender->internal->reach;
	in->by_part = lender->internal->by_part;
	in->signal_returns = lender->internal->signal_returns;
	in->stamp = lender->internal->stamp;
	in->is_loaded = true;
	in->lender = lender;
	lender->internal->nborrowers++;
	return true;
}

bool share_keeps(struct module *m)
{
	struct module *lender = m->internal->lender;

	m->internal->is_freed = true;
	if (m->internal->nborrowers)
		return true;
	if (!lender)
		return false;
	m->symbols = NULL;
	m->parts = NULL;
	m->internal->full = m->internal->dynamic = (struct elf_symbols){0};
	m->internal->by_name = NULL;
	m->internal->reach = NULL;
	m->internal->by_part = NULL;
	memset(&m->internal->signal_returns, 0, sizeof(m->internal->signal_returns));
	lender->internal->nborrowers--;
	if (lender->internal->is_freed)
		module_free(lender);
	return false;
}

/* SPDX-License-Identifier: MIT */
/*
 * Tables of functions shared by modules of one file. The lender owns them. When it is
 * freed while others borrow them, it is kept until the last borrower is freed.
 */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbols/internal.h"
#include "symbols/shared_tables.h"
#include "vm/base/host/oom.h"

/* Reads the stamp of the file that m maps now; false: it is not known. */
static bool read_stamp(const struct module *m, struct module_stamp *out)
{
	struct stat st;
	struct err e;
	int fd;

	*out = (struct module_stamp){.dev = m->dev, .ino = m->ino};
	if (m->internal->is_file_only || file_open_mapped(&m->internal->file, &fd, &e))
		return false;
	if (fstat(fd, &st) == 0) {
		out->size = (uint64_t)st.st_size;
		out->modified[0] = st.st_mtim.tv_sec;
		out->modified[1] = st.st_mtim.tv_nsec;
		out->changed[0] = st.st_ctim.tv_sec;
		out->changed[1] = st.st_ctim.tv_nsec;
	}
	close(fd);
	return out->size != 0;
}

void share_stamp(struct module *m)
{
	m->internal->stamp = (struct module_stamp){.dev = m->dev, .ino = m->ino};
	if (!m->is_vdso)
		read_stamp(m, &m->internal->stamp);
}

/* Inodes are reused and libraries are overwritten, so size and times are compared. */
static bool is_same_file(const struct module *m, const struct module *from)
{
	struct module_stamp now;

	return m->dev == from->dev && m->ino == from->ino &&
	       strcmp(m->path, from->path) == 0 && from->internal->stamp.size &&
	       read_stamp(m, &now) &&
	       module_is_same_stamp(&now, &from->internal->stamp);
}

bool module_stamp(const struct module *m, struct module_stamp *out)
{
	*out = m->internal->stamp;
	return out->size != 0;
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

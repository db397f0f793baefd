/* SPDX-License-Identifier: MIT */
/*
 * Tables of functions shared by modules of one file. The lender owns them. When it is
 * freed while others borrow them, it is kept until the last borrower is freed.
 */
#include <stdlib.h>
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

static void borrow(struct module *m, struct module *from)
{
	struct module_internal *in = m->internal;
	struct module *lender = from->internal->lender ? from->internal->lender : from;

	m->symbols = lender->symbols;
	m->nsymbols = lender->nsymbols;
	m->parts = lender->parts;
	m->nparts = lender->nparts;
	m->source = lender->source;
	m->is_stripped = lender->is_stripped;
	m->has_restartable = lender->has_restartable;
	m->debug_path = oom_strdup(lender->debug_path);
	memcpy(m->build_id, lender->build_id, sizeof(m->build_id));
	m->build_id_size = lender->build_id_size;
	in->full = lender->internal->full;
	in->dynamic = lender->internal->dynamic;
	in->by_name = lender->internal->by_name;
	in->reach = lender->internal->reach;
	in->by_part = lender->internal->by_part;
	in->signal_returns = lender->internal->signal_returns;
	in->go = lender->internal->go;
	in->stamp = lender->internal->stamp;
	in->is_loaded = true;
	in->lender = lender;
	lender->internal->nborrowers++;
	if (in->held)
		close(in->held - 1);
	in->held = 0;
}

bool module_share_symbols(struct module *m, struct module *from)
{
	if (m->internal->is_loaded || !from->internal->is_loaded ||
	    from->internal->load_status || m->is_vdso || !is_same_file(m, from))
		return false;
	borrow(m, from);
	share_offer(m);
	return true;
}

/* ---- loading ahead ---- */

struct module *module_twin(const struct module *m)
{
	const struct module_internal *of = m->internal;
	struct module *twin;

	if (of->is_loaded || of->held || of->is_file_only || m->is_vdso ||
	    (of->same && (of->same->loaded || of->same->holder)))
		return NULL;
	twin = oom_calloc(1, sizeof(*twin));
	twin->internal = oom_calloc(1, sizeof(*twin->internal));
	twin->path = oom_strdup(m->path);
	twin->bias = m->bias;
	twin->lo = m->lo;
	twin->hi = m->hi;
	twin->dev = m->dev;
	twin->ino = m->ino;
	twin->is_exe = m->is_exe;
	twin->internal->file = of->file;
	twin->internal->file.path = twin->path;
	return twin;
}

bool module_load_ahead(struct module *twin, const atomic_bool *is_stopped)
{
	struct budget_ahead ahead = {.is_stopped = is_stopped};
	struct err ignored;
	int status;

	budget_read_ahead(&ahead);
	status = module_load_symbols(twin, &ignored);
	budget_read_ahead(NULL);
	return !status && !ahead.is_refused;
}

/* ---- modules of one file in one process ---- */

void module_join_file(struct module *x, const struct module *y)
{
	struct same_file *same = y ? y->internal->same : NULL;

	if (!same)
		same = oom_calloc(1, sizeof(*same));
	same->nmodules++;
	x->internal->same = same;
}

bool module_share_in_process(struct module *m)
{
	const struct same_file *same = m->internal->same;
	struct err ignored;

	if (!same || m->internal->is_loaded)
		return false;
	if (!same->loaded && same->holder && same->holder != m)
		module_load_symbols(same->holder, &ignored);
	if (!same->loaded)
		return false;
	borrow(m, same->loaded);
	return true;
}

void share_offer(struct module *m)
{
	if (m->internal->same && !m->internal->same->loaded)
		m->internal->same->loaded = m;
}

void share_leave_file(struct module *m)
{
	struct same_file *same = m->internal->same;

	if (!same)
		return;
	if (same->loaded == m)
		same->loaded = NULL;
	if (same->holder == m)
		same->holder = NULL;
	if (!--same->nmodules)
		free(same);
	m->internal->same = NULL;
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
	m->internal->go = (struct go_code){0};
	lender->internal->nborrowers--;
	if (lender->internal->is_freed)
		module_free(lender);
	return false;
}

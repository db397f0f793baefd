/* SPDX-License-Identifier: MIT */
/*
 * Opens the file of a module: through the process that maps it, by its path, or, for
 * the vdso, which is in no file, as a copy of its memory.
 */
#include "symbols/symbols.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbols/internal.h"
#include "vm/base/host/oom.h"
#include "vm/base/proc/procmem.h"

#define VDSO_MAX (1 << 20)

/* A memfd with the memory of the vdso; NOENT if this process may not read it. */
static int copy_vdso(const struct module *m, int *fd, struct err *e)
{
	size_t n = (size_t)min_u64(m->hi.v - m->lo.v, VDSO_MAX);
	uint8_t *bytes = oom_calloc(1, n);
	bool is_copied;

	*fd = memfd_create("vdso", MFD_CLOEXEC);
	is_copied = *fd >= 0 &&
		    procmem_peek_once(m->internal->file.tid, m->lo.v, bytes, n) == n &&
		    write(*fd, bytes, n) == (ssize_t)n;
	free(bytes);
	if (is_copied)
		return 0;
	if (*fd >= 0)
		close(*fd);
	return err_set(e, STATUS_NOENT, "the vdso cannot be read");
}

static int open_file(const struct module *m, int *fd, struct err *e)
{
	if (m->internal->held) {
		*fd = fcntl(m->internal->held - 1, F_DUPFD_CLOEXEC, 0);
		return *fd < 0 ? err_errno(e, STATUS_IO, "cannot open '%s'", m->path)
			       : 0;
	}
	if (m->is_vdso)
		return copy_vdso(m, fd, e);
	if (m->internal->is_file_only)
		return file_open(m->path, fd, e);
	return file_open_mapped(&m->internal->file, fd, e);
}

int module_open(const struct module *m, struct elf_file *f, struct err *e)
{
	int fd, status = open_file(m, &fd, e);

	return status ? status : elf_open(f, fd, m->path, e);
}

int module_hold(struct module *m, struct err *e)
{
	int fd, status;

	if (m->internal->held || m->internal->is_loaded ||
	    (m->internal->same && m->internal->same->holder))
		return 0;
	status = open_file(m, &fd, e);
	if (status)
		return status;
	m->internal->held = fd + 1;
	if (m->internal->same)
		m->internal->same->holder = m;
	return 1;
}

/* SPDX-License-Identifier: MIT */
/* The code of a module's file, read in pieces. */
#include "symbols/symbols.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "symbols/elf/elf.h"
#include "symbols/internal.h"
#include "vm/base/host/oom.h"

struct module_text {
	struct elf_file file;
};

struct module_text *module_text_open(const struct module *m)
{
	struct module_text *t;
	struct err ignored;

	if (m->is_vdso)
		return NULL;
	t = oom_calloc(1, sizeof(*t));
	if (module_open(m, &t->file, &ignored) == 0)
		return t;
	free(t);
	return NULL;
}

void module_text_close(struct module_text *t)
{
	if (t)
		elf_release(&t->file);
	free(t);
}

size_t module_text_read(const struct module_text *t, uint64_t value, uint8_t *buf,
			size_t n)
{
	const Elf64_Phdr *p = elf_code_at(&t->file, value);
	uint64_t at = p ? value - p->p_vaddr : 0;
	size_t done = 0;

	if (!p || p->p_offset > t->file.size || at > t->file.size - p->p_offset)
		return 0;
	n = (size_t)min_u64(n, p->p_filesz - at);
	while (done < n) {
		ssize_t got = pread(t->file.fd, buf + done, n - done,
				    (off_t)(p->p_offset + at + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		done += (size_t)got;
	}
	return done;
}

/* SPDX-License-Identifier: MIT */
/*
 * Debug data and unwind tables of a module: opens its file and passes it to types/ and
 * dwarf/.
 */
#include <stdlib.h>

#include "symbols/dwarf/cfi_rows.h"
#include "symbols/elf/debugfile.h"
#include "symbols/elf/debuginfod.h"
#include "symbols/internal.h"
#include "symbols/types.h"
#include "symbols/types/internal.h"

#define MODERATE_SIZE (64u << 20) /* of .debug_info: read in a second or so */

static bool has_entries(const struct elf_file *f)
{
	return elf_section(f, SHT_PROGBITS, ".debug_info") ||
	       elf_section(f, SHT_PROGBITS, ".zdebug_info");
}

bool module_has_types(const struct module *m)
{
	const Elf64_Shdr *s;
	struct elf_file f;
	bool found;
	struct err e;

	if (module_open(m, &f, &e))
		return false;
	s = elf_section(&f, SHT_PROGBITS, ".debug_info");
	found = s && s->sh_size <= MODERATE_SIZE;
	elf_release(&f);
	return found;
}

/* The debug file of f, which has no entries itself, of this machine or of a server. */
static bool open_separate(const struct module *m, const struct elf_file *f,
			  struct elf_file *out, uint64_t *ns)
{
	char *path = NULL;
	bool found = debugfile_open(f, m->internal->file.tid, m->path, out, &path);

	free(path);
	if (found && has_entries(out))
		return true;
	if (found)
		elf_release(out);
	return debuginfod_open(f, out, ns);
}

int module_types_open(const struct module *m, struct module_types **out, struct err *e)
{
	int tid = m->internal->file.tid;
	struct elf_file f, debug;
	uint64_t ns = 0;
	int rc = m->is_vdso ? err_set(e, STATUS_NOENT, "it has no debugging data")
			    : module_open(m, &f, e);

	if (rc)
		return rc;
	if (!has_entries(&f) && open_separate(m, &f, &debug, &ns)) {
		rc = types_open(&debug, tid, m->path, out, e);
		elf_release(&debug);
		if (!rc)
			(*out)->fetch_ns = ns;
	} else {
		rc = types_open(&f, tid, m->path, out, e);
	}
	elf_release(&f);
	return rc;
}

uint64_t module_types_fetch_ns(const struct module_types *mt)
{
	return mt->fetch_ns;
}

int module_read_cfi_rows(const struct module *m, struct module_cfi_rows *out,
			 struct err *e)
{
	struct elf_file f;
	int status = module_open(m, &f, e);

	*out = (struct module_cfi_rows){0};
	if (status)
		return status;
	cfi_rows_read(&f, m->lo.v - m->bias, m->hi.v - m->lo.v, out);
	elf_release(&f);
	return 0;
}

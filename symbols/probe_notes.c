/* SPDX-License-Identifier: MIT */
/* The probes that a module was compiled with, and where their arguments are. */
#include "symbols/internal.h"
#include "symbols/notes/internal.h"

#include <string.h>

int module_probe_notes(const struct module *m, struct probe_notes *out, struct err *e)
{
	struct elf_file f;
	int status;

	*out = (struct probe_notes){0};
	if (m->is_vdso)
		return 0;
	status = module_open(m, &f, e);
	if (status)
		return status;
	notes_read(&f, out);
	elf_release(&f);
	return 0;
}

/* Adds the symbol's address: of the process, as all that operands name. */
static bool resolve(const struct module *m, struct parsed_operand *p)
{
	taddr at;

	if (!p->symbol[0])
		return true;
	if (module_lookup_any(m, p->symbol, &at))
		return false;
	probe_operand_set_disp(&p->operand, probe_operand_disp(&p->operand) + at.v);
	return true;
}

size_t probe_note_arguments(const struct module *m, const struct probe_note *note,
			    struct probe_argument out[PROBE_OPERANDS_MAX])
{
	const char *s = note->arguments;
	size_t count = 0;

	for (s += strspn(s, " "); *s; s += strspn(s, " ")) {
		size_t n = strcspn(s, " ");
		struct parsed_operand p;

		if (count < PROBE_OPERANDS_MAX) {
			out[count] = (struct probe_argument){.text = s, .text_len = n};
			if (operand_parse(s, n, &p) && resolve(m, &p)) {
				out[count].operand = p.operand;
				out[count].is_float = p.is_float;
			}
		}
		count++;
		s += n;
	}
	return count;
}

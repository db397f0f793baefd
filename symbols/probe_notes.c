/* SPDX-License-Identifier: MIT */
/* The probes that a module was compiled with, and where their arguments are. */
#include "symbols/internal.h"
#include "symbols/notes/internal.h"

#include <string.h>

#define LOOKUPS_MAX 512 /* each looks at all symbols of a file */

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

static bool find_in(const struct elf_symbols *table, const char *name, uint64_t *value)
{
	for (size_t i = 0; i < table->len; i++) {
		const Elf64_Sym *s = &table->data[i];
		unsigned kind = ELF64_ST_TYPE(s->st_info);

		if (s->st_shndx == SHN_UNDEF || s->st_shndx == SHN_ABS ||
		    kind == STT_TLS || kind == STT_FILE ||
		    !elf_symbol_is_named(table, i, name))
			continue;
		*value = s->st_value;
		return true;
	}
	return false;
}

/* The address of a symbol: in the tables that are loaded, or else by the file. */
static bool find_symbol(const struct module *m, const char *name, taddr *at)
{
	const struct module *owner = m->internal->lender ? m->internal->lender : m;
	const struct module_internal *in = owner->internal;
	uint64_t value;

	if (!in->is_loaded || in->load_status)
		return module_lookup_any(m, name, at) == 0;
	if (!find_in(&in->full, name, &value) && !find_in(&in->dynamic, name, &value))
		return false;
	*at = module_address(m, value);
	return true;
}

/* Adds the symbol's address: of the process, as all that operands name. */
static bool resolve(const struct module *m, struct probe_notes *notes,
		    struct parsed_operand *p)
{
	taddr at;

	if (!p->symbol[0])
		return true;
	if (notes->nlookups++ >= LOOKUPS_MAX || !find_symbol(m, p->symbol, &at))
		return false;
	probe_operand_set_disp(&p->operand, probe_operand_disp(&p->operand) + at.v);
	return true;
}

size_t probe_note_arguments(const struct module *m, struct probe_notes *notes, size_t i,
			    struct probe_argument out[PROBE_OPERANDS_MAX])
{
	const char *s = notes->data[i].arguments;
	size_t count = 0;

	for (s += strspn(s, " "); *s; s += strspn(s, " ")) {
		size_t n = strcspn(s, " ");
		struct parsed_operand p;

		if (count < PROBE_OPERANDS_MAX) {
			out[count] = (struct probe_argument){.text = s, .text_len = n};
			if (operand_parse(s, n, &p) && resolve(m, notes, &p)) {
				out[count].operand = p.operand;
				out[count].is_float = p.is_float;
			}
		}
		count++;
		s += n;
	}
	return count;
}

/* SPDX-License-Identifier: MIT */
/*
 * Variables of a module by their addresses: those of its symbol tables, static ones
 * too. The index is made when it is first asked for.
 */
#include <stdlib.h>
#include <string.h>

#include "symbols/elf/budget.h"
#include "symbols/elf/demangle.h"
#include "symbols/internal.h"
#include "vm/base/host/search.h"
#include "vm/base/host/vec.h"

#define NESTED_MAX   8	  /* variables that begin before an address and may hold it */
#define NAME_MAX_LEN 4096 /* bytes of a name that are shown */

static bool is_variable(const Elf64_Sym *s)
{
	return ELF64_ST_TYPE(s->st_info) == STT_OBJECT && s->st_shndx != SHN_UNDEF &&
	       s->st_size;
}

static void add_table(struct module_internal *in, const struct elf_symbols *table,
		      bool is_dynamic)
{
	for (size_t i = 0; i < table->len && i < UINT32_MAX; i++)
		if (is_variable(&table->data[i]))
			*vec_push(&in->variables) = (struct variable_entry){
				table->data[i].st_value, (uint32_t)i, is_dynamic};
}

/* Of aliases the last is preferred: of .symtab, and the later one there. */
static int compare_variables(const void *a, const void *b)
{
	const struct variable_entry *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	if (x->is_dynamic != y->is_dynamic)
		return x->is_dynamic ? -1 : 1;
	return x->symbol < y->symbol ? -1 : x->symbol > y->symbol;
}

static void need_variables(struct module_internal *in)
{
	uint64_t bytes;

	if (in->has_variables)
		return;
	in->has_variables = true;
	add_table(in, &in->full, false);
	add_table(in, &in->dynamic, true);
	if (in->variables.len)
		qsort(in->variables.data, in->variables.len,
		      sizeof(*in->variables.data), compare_variables);
	bytes = in->variables.cap * sizeof(*in->variables.data);
	in->kept += bytes;
	budget_keep(bytes);
}

static bool add_name(const struct elf_symbols *table, size_t i, bool is_demangled,
		     struct strbuf *name)
{
	const char *text = elf_symbol_name(table, i);
	unsigned timeouts_left = 1;

	if (!text || !*text)
		return false;
	if (!is_demangled || !demangle(text, DEMANGLE_FULL, &timeouts_left, name))
		strbuf_add(name, text,
			   strnlen(text, min_u64(strcspn(text, "@"), NAME_MAX_LEN)));
	return true;
}

bool module_variable_at(const struct module *m, taddr addr, bool is_demangled,
			struct strbuf *name, uint64_t *start)
{
	const struct module *owner = m->internal->lender ? m->internal->lender : m;
	struct module_internal *in = owner->internal;
	uint64_t at = addr.v - m->bias;
	size_t n = 0;

	need_variables(in);
	if (in->variables.len)
		n = search_at_most(&in->variables.data->value, in->variables.len,
				   sizeof(*in->variables.data), at);
	for (size_t i = n; i > 0 && n - i < NESTED_MAX; i--) {
		const struct variable_entry *v = &in->variables.data[i - 1];
		const struct elf_symbols *table =
			v->is_dynamic ? &in->dynamic : &in->full;

		if (at - v->value >= table->data[v->symbol].st_size ||
		    !add_name(table, v->symbol, is_demangled, name))
			continue;
		*start = v->value;
		return true;
	}
	return false;
}

void symbol_add_readable(const char *name, struct strbuf *to)
{
	unsigned timeouts_left = 1;

	if (!demangle(name, DEMANGLE_FULL, &timeouts_left, to))
		strbuf_puts(to, name);
}

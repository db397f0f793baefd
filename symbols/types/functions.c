/* SPDX-License-Identifier: MIT */
/* Parameters and result of functions, as in their source. */
#include "symbols/types.h"

#include <stdlib.h>

#include "symbols/types/abi.h"
#include "symbols/types/internal.h"

struct listing {
	struct module_types *mt;
	struct types_listed *out;
	uint64_t origins[TARGET_PARAMS_MAX];
	bool is_origin; /* the entry as it was written; its own copy may lack some */
};

static bool add_parameter(void *ctx, const struct entry *seen)
{
	struct listing *l = ctx;
	struct target_function *f = &l->out->f;
	struct entry e = *seen;

	if (e.tag != ENTRY_PARAMETER)
		return true;
	types_inherit(l->mt, &e);
	if (e.is_result) {
		if (!f->nresults++)
			f->result.type = e.type;
		return true;
	}
	if (f->nparams == TARGET_PARAMS_MAX)
		return false;
	l->origins[f->nparams] = e.ref;
	l->out->refs[f->nparams] = l->is_origin ? 0 : e.ref;
	f->params[f->nparams++] = (struct target_param){.name = e.name, .type = e.type};
	return true;
}

static bool find_own(void *ctx, const struct entry *e)
{
	struct listing *l = ctx;

	if (e->tag != ENTRY_PARAMETER && e->tag != ENTRY_VARIABLE)
		return true;
	for (uint32_t i = 0; i < l->out->f.nparams; i++)
		if (e->origin == l->origins[i])
			l->out->refs[i] = e->ref;
	return true;
}

/*
 * In the order of the source, which is that of the abstract entry if the function has
 * one: its own entry may lack parameters that the compiler has dropped.
 */
static void list_parameters(struct module_types *mt, struct types_listed *out)
{
	struct listing l = {.mt = mt, .out = out, .is_origin = true};
	struct entry origin;

	if (out->entry.origin && dwarf_entry(mt->dwarf, out->entry.origin, &origin) &&
	    !origin.is_declaration)
		dwarf_children(mt->dwarf, origin.ref, add_parameter, &l);
	if (out->f.nparams) {
		dwarf_children(mt->dwarf, out->ref, find_own, &l);
		return;
	}
	out->f.nresults = 0;
	l.is_origin = false;
	dwarf_children(mt->dwarf, out->ref, add_parameter, &l);
}

bool types_list_function(struct module_types *mt, uint64_t value,
			 struct types_listed *out)
{
	struct types_function key = {.address = value}, *found;

	types_need_index(mt);
	found = mt->functions.len ? bsearch(&key, mt->functions.data, mt->functions.len,
					    sizeof(key), types_compare_functions)
				  : NULL;
	*out = (struct types_listed){.ref = found ? found->ref : 0};
	if (!found || !dwarf_entry(mt->dwarf, found->ref, &out->entry))
		return false;
	dwarf_unit_of(mt->dwarf, found->ref, &out->unit);
	list_parameters(mt, out);
	types_inherit(mt, &out->entry);
	out->f.result.type = out->f.nresults ? out->f.result.type : out->entry.type;
	return true;
}

bool module_types_function(struct module_types *mt, uint64_t value,
			   enum regs_convention by, struct target_function *out)
{
	struct types_listed list;

	if (!types_list_function(mt, value, &list))
		return false;
	*out = list.f;
	if (by != REGS_CONVENTION_C)
		abi_classify_go(mt, by, out);
	return true;
}

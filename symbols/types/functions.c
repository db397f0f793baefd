/* SPDX-License-Identifier: MIT */
/* Parameters and result of functions, as in their source. */
#include "symbols/types.h"

#include <stdlib.h>

#include "symbols/types/abi.h"
#include "symbols/types/internal.h"

struct parameters {
	struct module_types *mt;
	struct target_function *out;
};

static bool add_parameter(void *ctx, const struct entry *seen)
{
	struct parameters *p = ctx;
	struct entry e = *seen;

	if (e.tag != ENTRY_PARAMETER)
		return true;
	types_inherit(p->mt, &e);
	if (e.is_result) {
		p->out->result = p->out->nresults++ ? p->out->result : e.type;
		return true;
	}
	if (p->out->nparams == TARGET_PARAMS_MAX)
		return false;
	p->out->params[p->out->nparams++] =
		(struct target_param){.name = e.name, .type = e.type};
	return true;
}

bool module_types_function(struct module_types *mt, uint64_t value,
			   enum regs_convention by, struct target_function *out)
{
	struct types_function key = {.address = value}, *found;
	struct parameters p = {mt, out};
	struct entry e;

	types_need_index(mt);
	found = mt->functions.len ? bsearch(&key, mt->functions.data, mt->functions.len,
					    sizeof(key), types_compare_functions)
				  : NULL;
	if (!found || !dwarf_entry(mt->dwarf, found->ref, &e))
		return false;
	types_inherit(mt, &e);
	*out = (struct target_function){.result = e.type};
	dwarf_children(mt->dwarf, found->ref, add_parameter, &p);
	if (by == REGS_CONVENTION_C)
		abi_classify(mt, out);
	else
		abi_classify_go(mt, by, out);
	return true;
}

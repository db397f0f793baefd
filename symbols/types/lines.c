/* SPDX-License-Identifier: MIT */
/* Lines of the source, and inlined frames, by address. */
#include "symbols/types.h"
#include "symbols/types/internal.h"
#include "vm/base/host/search.h"

size_t module_types_places(struct module_types *mt, uint64_t value,
			   struct target_place out[TARGET_PLACES_MAX])
{
	struct dwarf_place places[DWARF_INLINED_MAX + 1];
	size_t n, found = 0;

	_Static_assert(TARGET_PLACES_MAX == DWARF_INLINED_MAX + 1, "one for each");
	types_need_index(mt);
	if (mt->functions.len)
		found = search_at_most(&mt->functions.data->address, mt->functions.len,
				       sizeof(*mt->functions.data), value);
	if (!found)
		return 0;
	n = dwarf_places(mt->dwarf, mt->functions.data[found - 1].ref, value, places);
	for (size_t i = 0; i < n; i++) {
		struct entry e = {.name = NULL};

		if (places[i].inlined && dwarf_entry(mt->dwarf, places[i].inlined, &e))
			types_inherit(mt, &e);
		out[i] = (struct target_place){
			.function = e.link_name ? e.link_name : e.name,
			.file = places[i].file,
			.line = places[i].line,
		};
	}
	return n;
}

/* SPDX-License-Identifier: MIT */
#include "symbols/dwarf/cfi_go.h"

#include <stdlib.h>
#include <string.h>

#include "symbols/dwarf/cfi_machine.h"

#define FP_PLACE   (-2) /* words from the CFA */
#define WORD	   8
#define SHORT_MOST 127 /* largest offset of the short form of the instruction */

static bool is_signal_return(const struct elf_file *f, uint64_t start)
{
	uint64_t code = 0, offset;
	void *bytes = NULL;

	if (elf_offset(f, start, sizeof(code), &offset))
		bytes = elf_read(f, offset, sizeof(code));
	if (bytes)
		memcpy(&code, bytes, sizeof(code));
	free(bytes);
	return regs_is_sigreturn(code);
}

enum cfi_go_frame cfi_go_frame(const struct elf_file *f, const struct go_code *go,
			       uint64_t start)
{
	const struct go_assembly *a;

	if (start < go->lo || start >= go->hi)
		return CFI_GO_NOT;
	if (go->convention != REGS_CONVENTION_GO)
		return CFI_GO_UNKNOWN;
	a = go_code_assembly(go, start);
	if (!a)
		return CFI_GO_COMPILED;
	if (a->is_edge)
		return CFI_GO_UNKNOWN;
	return is_signal_return(f, start) ? CFI_GO_SIGNAL_RETURN : CFI_GO_ASSEMBLY;
}

uint64_t cfi_go_set_fp(enum cfi_go_frame frame, bool is_first, struct cfi_row *row)
{
	int64_t offset = row->cfa - 2 * WORD;

	if (frame == CFI_GO_NOT || row->form != CFI_ROW_PLAIN ||
	    row->cfa == (int32_t)cfi_entry_offset)
		return 0;
	row->fp = frame == CFI_GO_COMPILED ? FP_PLACE : CFI_LOST;
	/* push saves it at once */
	if (frame != CFI_GO_COMPILED || !is_first || !offset)
		return 0;
	return offset <= SHORT_MOST ? 5 : 8;
}

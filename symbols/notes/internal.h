/* SPDX-License-Identifier: MIT */
/* Private to symbols/: notes of files, and the texts in them. */
#ifndef SYMBOLS_NOTES_INTERNAL_H
#define SYMBOLS_NOTES_INTERNAL_H

#include "symbols/elf/elf.h"
#include "symbols/notes.h"

/* Adds the notes of the file. */
void notes_read(const struct elf_file *f, struct probe_notes *out);

/* What an operand says, before its symbol is looked up. */
struct parsed_operand {
	struct probe_operand operand;
	bool is_float;
	/* Its symbol's name, whose address is to be added to disp. */
	char symbol[PROBE_NOTE_NAME_MAX + 1];
};

/* Reads one operand, n bytes of text; false: it has no form that is known. */
bool operand_parse(const char *text, size_t n, struct parsed_operand *out);

#endif

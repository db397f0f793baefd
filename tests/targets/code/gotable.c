/* SPDX-License-Identifier: MIT */
/*
 * A program with the table of functions of a Go program, small enough for a fuzzer:
 * symbols/elf/gotable.c says what is in it.
 */
__asm__(".text\n"
	".balign 32\n"
	"text: nop\n"
	"ret\n"
	".balign 16, 0xcc\n"
	"second: .fill 15, 1, 0x90\n"
	"ret\n"
	"end:\n"

	".section .gopclntab,\"a\"\n"
	".balign 32\n"
	"table: .long 0xfffffff1\n"
	".byte 0, 0, 1, 8\n"
	".quad 2, 0, text, names-table, 0, 0, values-table, entries-table\n"
	"names: .byte 0\n"
	"name1: .asciz \"main.first\"\n"
	"name2: .asciz \"main.(*T).second\"\n"
	"values: .byte 0\n"
	"values1: .byte 2, 2, 0\n"
	"values2: .byte 2, 4, 1, 12, 0\n"
	"entries: .long 0, about1-entries, second-text, about2-entries, end-text\n"
	"about1: .long 0, name1-names, 0, 0, values1-values, 0, 0\n"
	"about2: .long second-text, name2-names, 0, 0, values2-values, 0, 0\n"

	".section .note.go.buildid,\"a\",@note\n"
	".long 4, 4, 4\n"
	".asciz \"Go\\0\"\n"
	".ascii \"abcd\"\n"
	".text\n");

int main(void)
{
	return 0;
}

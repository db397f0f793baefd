/* SPDX-License-Identifier: MIT */
/*
 * x86-64. Encodings: Intel SDM vol. 2; relocations and PLT: System V ABI, AMD64
 * supplement, 4.4 and 5.2.
 */
#include "symbols/elf/machine.h"

#include <string.h>

#include "vm/base/bytes.h"

#define JUMP_MAX  6 /* bytes of a near conditional jump */
#define LEA_BYTES 7 /* lea disp32(%rip), %r64 */

const char machine_name[] = "x86-64";

bool machine_is_native(const Elf64_Ehdr *h)
{
	return h->e_ident[EI_CLASS] == ELFCLASS64 &&
	       h->e_ident[EI_DATA] == ELFDATA2LSB && h->e_machine == EM_X86_64;
}

enum relocation machine_relocation(const Elf64_Rela *r)
{
	switch (ELF64_R_TYPE(r->r_info)) {
	case R_X86_64_RELATIVE:
		return RELOCATION_RELATIVE;
	case R_X86_64_IRELATIVE:
		return RELOCATION_IFUNC;
	case R_X86_64_64:
		return RELOCATION_SYMBOL;
	case R_X86_64_COPY:
		return RELOCATION_COPY;
	default:
		return RELOCATION_OTHER;
	}
}

/* push m; jmp *m -- jmp *m -- endbr64; [bnd] jmp *m */
bool machine_is_plt_entry(const uint8_t code[MACHINE_PLT_BYTES])
{
	if (code[0] == 0xff)
		return code[1] == 0x35 || code[1] == 0x25;
	return memcmp(code, "\xf3\x0f\x1e\xfa", 4) == 0 &&
	       (memcmp(code + 4, "\xff\x25", 2) == 0 ||
		memcmp(code + 4, "\xf2\xff\x25", 3) == 0);
}

/* Sign-extended, ready to be added to the address that it counts from. */
static uint64_t displacement(const uint8_t *p)
{
	return (uint64_t)(int32_t)bytes_load(p, sizeof(int32_t));
}

/* jmp rel32 is e9, the conditional ones are 0f 80 to 0f 8f. */
void machine_find_jumps(const uint8_t *code, size_t n, uint64_t at,
			void (*found)(void *ctx, uint64_t from, uint64_t to), void *ctx)
{
	for (size_t i = 0; i + JUMP_MAX <= n; i++) {
		size_t opcode;

		if (code[i] == 0xe9)
			opcode = 1;
		else if (code[i] == 0x0f && (code[i + 1] & 0xf0) == 0x80)
			opcode = 2;
		else
			continue;
		found(ctx, at + i,
		      at + i + opcode + sizeof(int32_t) +
			      displacement(code + i + opcode));
	}
}

/* lea: REX.W 8d /r with mod 0 and rm 5. */
void machine_find_loaded_addresses(const uint8_t *code, size_t n, uint64_t at,
				   void (*found)(void *ctx, uint64_t address),
				   void *ctx)
{
	for (size_t i = 0; i + LEA_BYTES <= n; i++) {
		if ((code[i] & 0xf8) == 0x48 && code[i + 1] == 0x8d &&
		    (code[i + 2] & 0xc7) == 0x05)
			found(ctx, at + i + LEA_BYTES + displacement(code + i + 3));
	}
}

/* SPDX-License-Identifier: MIT */
/*
 * x86-64. Encodings: Intel SDM vol. 2; relocations and PLT: System V ABI, AMD64
 * supplement, 4.4 and 5.2.
 */
#include "symbols/elf/machine.h"

#include <emmintrin.h>
#include <string.h>

#include "vm/base/bytes.h"

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

/* Bit N: byte N may begin a jump: jmp rel32 is e9, the conditional ones 0f 80 to 8f. */
static unsigned jumps_of_16(const uint8_t *code)
{
	__m128i first = _mm_loadu_si128((const void *)code);
	__m128i second = _mm_loadu_si128((const void *)(code + 1));
	__m128i is_jmp = _mm_cmpeq_epi8(first, _mm_set1_epi8((char)0xe9));
	__m128i is_0f = _mm_cmpeq_epi8(first, _mm_set1_epi8(0x0f));
	__m128i high = _mm_and_si128(second, _mm_set1_epi8((char)0xf0));
	__m128i is_8x = _mm_cmpeq_epi8(high, _mm_set1_epi8((char)0x80));

	return (unsigned)_mm_movemask_epi8(
		_mm_or_si128(is_jmp, _mm_and_si128(is_0f, is_8x)));
}

static bool is_jump(const uint8_t *code)
{
	return code[0] == 0xe9 || (code[0] == 0x0f && (code[1] & 0xf0) == 0x80);
}

static void tell_jump(const uint8_t *jump, uint64_t at,
		      void (*found)(void *ctx, uint64_t from, uint64_t to), void *ctx)
{
	size_t opcode = *jump == 0xe9 ? 1 : 2;

	found(ctx, at, at + opcode + sizeof(int32_t) + displacement(jump + opcode));
}

void machine_find_jumps(const uint8_t *code, size_t n, uint64_t at,
			void (*found)(void *ctx, uint64_t from, uint64_t to), void *ctx)
{
	size_t i = 0;

	for (; i + 16 + MACHINE_JUMP_MAX <= n; i += 16)
		for (unsigned bits = jumps_of_16(code + i); bits; bits &= bits - 1) {
			size_t jump = i + (size_t)__builtin_ctz(bits);

			tell_jump(code + jump, at + jump, found, ctx);
		}
	for (; i + MACHINE_JUMP_MAX <= n; i++)
		if (is_jump(code + i))
			tell_jump(code + i, at + i, found, ctx);
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

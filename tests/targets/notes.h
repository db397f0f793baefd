/* SPDX-License-Identifier: MIT */
/* What notes of probes refer to, as <sys/sdt.h> has it: a base, and here a semaphore. */
#ifndef TESTS_TARGETS_NOTES_H
#define TESTS_TARGETS_NOTES_H

#include <stdint.h>

/* .stapsdt.base is where the linker put it; prelink would have moved it. */
__asm__(".pushsection .stapsdt.base, \"aG\", \"progbits\", .stapsdt.base, comdat\n"
	".weak base_of_notes\n"
	".hidden base_of_notes\n"
	"base_of_notes: .space 1\n"
	".size base_of_notes, 1\n"
	".popsection\n"
	".pushsection .probes, \"aw\", \"progbits\"\n"
	".globl guarded_semaphore\n"
	".hidden guarded_semaphore\n"
	"guarded_semaphore: .2byte 0\n"
	".popsection\n");

extern volatile uint16_t guarded_semaphore __attribute__((visibility("hidden")));

#endif

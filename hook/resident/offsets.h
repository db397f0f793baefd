/* SPDX-License-Identifier: MIT */
/*
 * Positions in the structs of hook/resident.h as the assembly needs them; level.h
 * proves that they are the same.
 */
#ifndef HOOK_RESIDENT_OFFSETS_H
#define HOOK_RESIDENT_OFFSETS_H

/* struct resident_text */
#define TEXT_MAGIC   0x44495352
#define TEXT_VERSION 19

/* struct resident_gate, with which an tcb begins */
#define GATE_SPILL     0
#define GATE_EPILOGUE  16
#define GATE_SELF      24
#define GATE_RCX       32
#define GATE_SITES     40
#define GATE_BUSY      48
#define GATE_PENDING   52
#define GATE_LOST      56
#define GATE_FIRED     64
#define GATE_CACHE     72
#define GATE_STATE     80
#define GATE_CACHE_SUM 88
#define GATE_SITE      96
#define GATE_IDLE      108
#define GATE_CALL      112
#define GATE_LIGHTS    120

/* struct resident_count_cache */
#define CACHE_SITES 4352

/* state_version() in the state block */
#define VERSION_FROM_STATE 4160

/* Behind the keeper's word the sites begin, which the gate knows. */
#define KEEPER_FROM_SITES (236 - 4096)

/* Before the sites is the block's header. */
#define BLOCK_FROM_SITES  (-4096)
#define HITS_FROM_SITES	  (48 - 4096)
#define RANGES_FROM_SITES (72 - 4096)

/* The registers of the two levels in struct resident_tcb */
#define TCB_REGS0 (4096 + 12160)
#define TCB_REGS1 (4096 + 14336 + 12160)

/* struct regs */
#define REGS_FLAGS 0
#define REGS_RAX   8
#define REGS_RBX   16
#define REGS_RCX   24
#define REGS_RDX   32
#define REGS_RSI   40
#define REGS_RDI   48
#define REGS_RBP   56
#define REGS_R8	   64
#define REGS_R9	   72
#define REGS_R10   80
#define REGS_R11   88
#define REGS_R12   96
#define REGS_R13   104
#define REGS_R14   112
#define REGS_R15   120
#define REGS_RSP   128
#define REGS_RIP   136

/* log2 of sizeof(struct resident_site), whose first word is the epilogue */
#define SITE_SHIFT 4

/* ... and whose second is resident_list() */
#define SITE_FIRST_HIT 8
#define SITE_NHITS     12

/* struct resident_hit */
#define HIT_SHIFT   5
#define HIT_RANGE   8
#define HIT_KIND    24
#define HIT_LEAVING 2

/* struct resident_range */
#define RANGE_SHIFT 4
#define RANGE_HI    8

/* RESIDENT_LEAVING_BYTES */
#define LEAVING_BYTES 160

#define FLAGS_TF 0x100
#define FLAGS_DF 0x400
#define FLAGS_AC 0x40000

#endif

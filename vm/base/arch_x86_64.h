/* SPDX-License-Identifier: MIT */
/*
 * x86-64 with the System V ABI and Linux system calls. Include vm/base/regs.h, which
 * says what each function promises.
 */
#ifndef VM_BASE_ARCH_X86_64_H
#define VM_BASE_ARCH_X86_64_H

#include "vm/base/base.h"

struct regs {
	/* Saved by resident code (hook/resident/entry_x86_64.S knows the offsets). */
	uint64_t flags, rax, rbx, rcx, rdx, rsi, rdi, rbp;
	uint64_t r8, r9, r10, r11, r12, r13, r14, r15;
	uint64_t rsp, rip;
	/* Known of a stopped thread only. */
	uint64_t orig_rax; /* number of its system call; UINT64_MAX: it is in none */
	uint64_t cs, ss, ds, es, fs, gs;
	uint64_t fs_base, gs_base;
};

#define REGS_SAVED_BYTES offsetof(struct regs, orig_rax)

enum { REGS_FLAG_TF = 0x100 };
/* Flags that popf changes for a program: CF PF AF ZF SF DF OF; and those always set. */
#define REGS_FLAGS_USER	 0xcd5u
#define REGS_FLAGS_FIXED 0x202u

/* System V ABI, AMD64 supplement, 3.2.3. */
#define REGS_ARGS    6
#define REGS_RESULTS 2
/* Of Go (abi-internal.md): the same registers for arguments and results. */
#define REGS_GO_INTEGERS 9
#define REGS_GO_VECTORS	 15

/* The stack pointer's number in encodings of instructions. */
#define REGS_ENCODED_SP 4

#define REGS_SYSCALL_ARGS  6
#define REGS_SYSCALL_CODE  0x0f, 0x05
#define REGS_SYSCALL_BYTES 2

/* System calls that resident code makes; other code includes <sys/syscall.h>. */
enum arch_syscall {
	ARCH_SYS_OPEN = 2,
	ARCH_SYS_CLOSE = 3,
	ARCH_SYS_MPROTECT = 10,
	ARCH_SYS_RT_SIGACTION = 13,
	ARCH_SYS_RT_SIGPROCMASK = 14,
	ARCH_SYS_PREAD64 = 17,
	ARCH_SYS_PWRITE64 = 18,
	ARCH_SYS_GETPID = 39,
	ARCH_SYS_GETPPID = 110,
	ARCH_SYS_PRCTL = 157,
	ARCH_SYS_ARCH_PRCTL = 158,
	ARCH_SYS_GETTID = 186,
	ARCH_SYS_FUTEX = 202,
	ARCH_SYS_CLOCK_GETTIME = 228,
	ARCH_SYS_RT_TGSIGQUEUEINFO = 297,
};

/* DWARF numbers (AMD64 supplement, 3.6.2). */
enum regs_dwarf {
	REGS_DWARF_RAX,
	REGS_DWARF_RDX,
	REGS_DWARF_RCX,
	REGS_DWARF_RBX,
	REGS_DWARF_RSI,
	REGS_DWARF_RDI,
	REGS_DWARF_RBP,
	REGS_DWARF_RSP,
	/* r8 to r15 have their own numbers */
	REGS_DWARF_COUNT = 16, /* their number */
	/* By their use: stack pointer, frame pointer, and the other register that
	 * compilers find a function's frame by. */
	REGS_DWARF_SP = REGS_DWARF_RSP,
	REGS_DWARF_FP = REGS_DWARF_RBP,
	REGS_DWARF_BASE = REGS_DWARF_RBX,
	REGS_DWARF_RETURN = 16, /* the return address, of tables only */
};

/* struct ucontext: flags, link and the alternate stack come before the registers. */
#define REGS_UCONTEXT_AT 40
static const uint8_t regs_ucontext_order[REGS_DWARF_COUNT] = {8,
							      9,
							      10,
							      11,
							      12,
							      13,
							      14,
							      15,
							      REGS_DWARF_RDI,
							      REGS_DWARF_RSI,
							      REGS_DWARF_RBP,
							      REGS_DWARF_RBX,
							      REGS_DWARF_RDX,
							      REGS_DWARF_RAX,
							      REGS_DWARF_RCX,
							      REGS_DWARF_RSP};

/* uregs[] from 0 to REGS_UREGS - 1; the trap number of a breakpoint, no error code. */
#define REGS_UREGS    28
#define REGS_UREG_TLS 22 /* base of thread-local storage */
#define REGS_TRAP     3
/* The segments of 64-bit user code. */
#define REGS_USER_CS 0x33
#define REGS_USER_SS 0x2b

static inline uint64_t regs_pc(const struct regs *r)
{
	return r->rip;
}

static inline void regs_set_pc(struct regs *r, uint64_t pc)
{
	r->rip = pc;
}

static inline uint64_t regs_sp(const struct regs *r)
{
	return r->rsp;
}

static inline void regs_set_sp(struct regs *r, uint64_t sp)
{
	r->rsp = sp;
}

static inline uint64_t regs_arg(const struct regs *r, uint32_t i)
{
	switch (i) {
	case 0:
		return r->rdi;
	case 1:
		return r->rsi;
	case 2:
		return r->rdx;
	case 3:
		return r->rcx;
	case 4:
		return r->r8;
	default:
		return r->r9;
	}
}

static inline uint64_t regs_return_address_at(uint64_t sp)
{
	return sp;
}

static inline uint64_t regs_result(const struct regs *r, uint32_t i)
{
	return i ? r->rdx : r->rax;
}

static inline uint64_t regs_go_integer(const struct regs *r, uint64_t i)
{
	static const uint8_t at[REGS_GO_INTEGERS] = {
		offsetof(struct regs, rax), offsetof(struct regs, rbx),
		offsetof(struct regs, rcx), offsetof(struct regs, rdi),
		offsetof(struct regs, rsi), offsetof(struct regs, r8),
		offsetof(struct regs, r9),  offsetof(struct regs, r10),
		offsetof(struct regs, r11),
	};

	return *(const uint64_t *)(const void *)((const char *)r + at[i]);
}

static inline uint32_t regs_dwarf_of_go(uint32_t i)
{
	static const uint8_t order[REGS_GO_INTEGERS] = {REGS_DWARF_RAX,
							REGS_DWARF_RBX,
							REGS_DWARF_RCX,
							REGS_DWARF_RDI,
							REGS_DWARF_RSI,
							8,
							9,
							10,
							11};

	return order[i];
}

static inline enum regs_where regs_find_arg(const struct regs *r, uint64_t sp,
					    enum regs_convention by, uint64_t i,
					    uint64_t *out)
{
	static const uint8_t in_registers[REGS_CONVENTIONS] = {
		[REGS_CONVENTION_C] = REGS_ARGS,
		[REGS_CONVENTION_GO] = REGS_GO_INTEGERS,
	};

	if (by == REGS_CONVENTION_C && i < REGS_ARGS) { /* nearly always */
		*out = regs_arg(r, (uint32_t)i);
		return REGS_IN_REGISTER;
	}
	*out = 0;
	if (by >= REGS_CONVENTION_UNKNOWN)
		return REGS_NOWHERE;
	if (i >= in_registers[by]) {
		*out = sp + 8 + (i - in_registers[by]) * 8;
		return REGS_ON_STACK;
	}
	*out = regs_go_integer(r, i);
	return REGS_IN_REGISTER;
}

static inline enum regs_where regs_find_result(const struct regs *r,
					       enum regs_convention by, uint64_t i,
					       uint64_t *out)
{
	*out = 0;
	if (by == REGS_CONVENTION_C && i < REGS_RESULTS)
		*out = regs_result(r, (uint32_t)i);
	else if (by == REGS_CONVENTION_GO && i < REGS_GO_INTEGERS)
		*out = regs_go_integer(r, i);
	else if (by != REGS_CONVENTION_C && by != REGS_CONVENTION_GO)
		return REGS_NOWHERE;
	return REGS_IN_REGISTER;
}

static inline int64_t regs_syscall(const struct regs *r)
{
	return (int64_t)r->orig_rax;
}

static inline uint64_t regs_syscall_arg(const struct regs *r, uint32_t i)
{
	return i == 3 ? r->r10 : regs_arg(r, i);
}

static inline int64_t regs_syscall_result(const struct regs *r)
{
	return (int64_t)r->rax;
}

static inline uint64_t regs_syscall_link(const struct regs *r)
{
	return r->rcx;
}

static inline void regs_end_syscall(struct regs *r)
{
	r->orig_rax = UINT64_MAX;
}

static inline void regs_set_syscall(struct regs *r, int64_t nr,
				    const uint64_t args[REGS_SYSCALL_ARGS])
{
	r->rax = (uint64_t)nr;
	r->rdi = args[0];
	r->rsi = args[1];
	r->rdx = args[2];
	r->r10 = args[3];
	r->r8 = args[4];
	r->r9 = args[5];
	regs_end_syscall(r);
}

static inline void regs_set_spilled(struct regs *r, uint64_t value)
{
	r->rax = value;
}

static inline void regs_clear_tcb_base(struct regs *r)
{
	r->gs_base = 0;
}

static inline uint64_t regs_tcb_base(const struct regs *r)
{
	return r->gs_base;
}

static inline uint64_t regs_encoded(const struct regs *r, uint32_t i)
{
	static const uint8_t at[] = {
		offsetof(struct regs, rax), offsetof(struct regs, rcx),
		offsetof(struct regs, rdx), offsetof(struct regs, rbx),
		offsetof(struct regs, rsp), offsetof(struct regs, rbp),
		offsetof(struct regs, rsi), offsetof(struct regs, rdi),
		offsetof(struct regs, r8),  offsetof(struct regs, r9),
		offsetof(struct regs, r10), offsetof(struct regs, r11),
		offsetof(struct regs, r12), offsetof(struct regs, r13),
		offsetof(struct regs, r14), offsetof(struct regs, r15),
	};
	const uint64_t *words = (const void *)r;

	return i < ARRAY_LEN(at) ? words[at[i] / sizeof(*words)] : 0;
}

static inline void regs_to_dwarf(const struct regs *r, uint64_t reg[REGS_DWARF_COUNT])
{
	reg[REGS_DWARF_RAX] = r->rax;
	reg[REGS_DWARF_RDX] = r->rdx;
	reg[REGS_DWARF_RCX] = r->rcx;
	reg[REGS_DWARF_RBX] = r->rbx;
	reg[REGS_DWARF_RSI] = r->rsi;
	reg[REGS_DWARF_RDI] = r->rdi;
	reg[REGS_DWARF_RBP] = r->rbp;
	reg[REGS_DWARF_RSP] = r->rsp;
	reg[8] = r->r8;
	reg[9] = r->r9;
	reg[10] = r->r10;
	reg[11] = r->r11;
	reg[12] = r->r12;
	reg[13] = r->r13;
	reg[14] = r->r14;
	reg[15] = r->r15;
}

static inline void regs_set_stopped(struct regs *r, uint64_t tls)
{
	r->cs = REGS_USER_CS;
	r->ss = REGS_USER_SS;
	r->ds = r->es = r->fs = r->gs = 0;
	r->fs_base = tls;
	r->gs_base = 0;
}

static inline uint64_t regs_ureg(const struct regs *r, uint32_t i)
{
#define WORD(name) offsetof(struct regs, name) / sizeof(uint64_t)
	static const uint8_t words[REGS_UREGS] = {
		WORD(r15),    WORD(r14),   WORD(r13),	  WORD(r12),	 WORD(r11),
		WORD(r10),    WORD(r9),	   WORD(r8),	  WORD(rdi),	 WORD(rsi),
		WORD(rbp),    WORD(rbx),   WORD(rdx),	  WORD(rcx),	 WORD(rax),
		0 /* trap */, 0 /* err */, WORD(rip),	  WORD(cs),	 WORD(flags),
		WORD(rsp),    WORD(ss),	   WORD(fs_base), WORD(gs_base), WORD(ds),
		WORD(es),     WORD(fs),	   WORD(gs),
	};
#undef WORD
	const uint64_t *all = (const void *)r;

	if (i == 15 || i == 16)
		return i == 15 ? REGS_TRAP : 0;
	return all[words[i]];
}

#define REGS_UREG_PC	  17 /* R_PC */
#define REGS_UREG_SP	  20 /* R_SP */
#define REGS_UREG_GENERAL 15 /* elements below are general registers, as saved */

static inline uint32_t regs_ureg_of_dwarf(uint32_t dwarf)
{
	/* rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8 ... r15 */
	static const uint8_t uregs[REGS_DWARF_COUNT] = {14, 12, 13, 11, 9, 8, 10, 20,
							7,  6,	5,  4,	3, 2, 1,  0};

	return uregs[dwarf];
}

static inline void regs_copy_user(struct regs *to, const struct regs *from)
{
	struct regs r = *from;

	r.flags = (from->flags & REGS_FLAGS_USER) | REGS_FLAGS_FIXED;
	r.orig_rax = to->orig_rax;
	r.cs = to->cs;
	r.ss = to->ss;
	r.ds = to->ds;
	r.es = to->es;
	r.fs = to->fs;
	r.gs = to->gs;
	r.fs_base = to->fs_base;
	r.gs_base = to->gs_base;
	*to = r;
}

static inline uint64_t regs_interrupted_pc_at(uint64_t sp)
{
	return sp + 8 + REGS_UCONTEXT_AT + REGS_DWARF_COUNT * 8;
}

/* mov $15, %rax; syscall, or mov $15, %eax; syscall */
static inline bool regs_is_sigreturn(uint64_t code)
{
	return code == UINT64_C(0x0f0000000fc0c748) ||
	       code << 8 == UINT64_C(0x050f0000000fb800);
}

/* e8 and 4 bytes, or ff /2 with up to 5 bytes after its ModRM. */
static inline bool regs_may_end_call(uint64_t code)
{
	if ((code >> 24 & 0xff) == 0xe8)
		return true;
	for (uint32_t length = 2; length <= 7; length++) {
		uint64_t from = code >> (64 - 8 * length);

		if ((from & 0x38ff) == 0x10ff)
			return true;
	}
	return false;
}

#endif

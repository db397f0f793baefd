/* SPDX-License-Identifier: MIT */
/*
 * The registers of a thread and the machine's conventions about them: the seam
 * between the tracer and the processor. A port to another processor writes one more
 * vm/base/arch_*.h, with a struct regs and the functions declared here. Code that
 * must know instructions or registers by name includes this header as well and uses the
 * members of struct regs: hook/, hook/resident/entry_*.S, tracer/keeper/space/step.c and
 * return_stub.c.
 *
 * struct regs has one layout everywhere: the keeper fills it with ptrace(2), resident
 * code saves the first REGS_SAVED_BYTES of it at each hit, and walks of stacks start
 * from it.
 */
#ifndef VM_BASE_REGS_H
#define VM_BASE_REGS_H

#include "vm/base/base.h"

/*
 * Where a function finds its arguments and leaves its results. C is that of the ABI.
 * Go passes them in registers of its own since 1.17 (Go: abi-internal.md), before on the
 * stack, where the assembly code of its library still has them: ABI0. Where ABI0 leaves
 * results depends on the function.
 */
enum regs_convention {
	REGS_CONVENTION_C,
	REGS_CONVENTION_GO,
	REGS_CONVENTION_GO_STACK,
	REGS_CONVENTION_UNKNOWN, /* Go of an unknown version, or assembly of Go */
	REGS_CONVENTION_NOTE, /* no call: the site's own operands (probe_operand.h) */
	/* A jump to another function in place of a return: that one makes the result. */
	REGS_CONVENTION_TAIL_CALL,
	REGS_CONVENTIONS, /* their number */
};

enum regs_where {
	REGS_IN_REGISTER,
	REGS_ON_STACK,
	REGS_NOWHERE, /* the convention does not tell */
};

/* The one place that chooses a machine. */
#include "vm/base/arch_x86_64.h"

/* Address of the next instruction, and the stack pointer. */
static inline uint64_t regs_pc(const struct regs *r);
static inline void regs_set_pc(struct regs *r, uint64_t pc);
static inline uint64_t regs_sp(const struct regs *r);
static inline void regs_set_sp(struct regs *r, uint64_t sp);

/*
 * The calling convention of C, for integers and pointers. At a function's first
 * instruction argument i is in a register if i < REGS_ARGS. The return address is the
 * word at regs_return_address_at(), both at the first instruction and before a return
 * instruction. After the call, result i is in a register if i < REGS_RESULTS.
 */
static inline uint64_t regs_arg(const struct regs *r, uint32_t i);
static inline uint64_t regs_return_address_at(uint64_t sp);
static inline uint64_t regs_result(const struct regs *r, uint32_t i);

/*
 * Finds argument i at a function's first instruction, where the stack pointer is sp. *out
 * is its value, or on the stack the address of its word.
 */
static inline enum regs_where regs_find_arg(const struct regs *r, uint64_t sp,
					    enum regs_convention by, uint64_t i,
					    uint64_t *out);
/* The same of result i; *out is 0 if it is beyond the registers of results. */
static inline enum regs_where regs_find_result(const struct regs *r,
					       enum regs_convention by, uint64_t i,
					       uint64_t *out);

/*
 * System calls. regs_syscall() is the number of the call that a stopped thread is in, or
 * negative; the arguments (i < REGS_SYSCALL_ARGS) are valid from its entry on, the
 * result, negative for an error, at its exit.
 */
static inline int64_t regs_syscall(const struct regs *r);
static inline uint64_t regs_syscall_arg(const struct regs *r, uint32_t i);
static inline int64_t regs_syscall_result(const struct regs *r);
/* The register in which a call leaves its return address; 0 on machines without one. */
static inline uint64_t regs_syscall_link(const struct regs *r);
/* Makes the system call nr at the instruction REGS_SYSCALL_CODE that pc points to. */
static inline void regs_set_syscall(struct regs *r, int64_t nr,
				    const uint64_t args[REGS_SYSCALL_ARGS]);
/* Takes the thread out of its call: the kernel will not restart it. */
static inline void regs_end_syscall(struct regs *r);

/* Sets the register that a detour's stub spills before it enters resident code. */
static inline void regs_set_spilled(struct regs *r, uint64_t value);
/*
 * The base register by which resident code finds the thread's control block
 * (hook/resident.h). Not 0 in a process without resident code: the program uses it.
 */
static inline uint64_t regs_tcb_base(const struct regs *r);
/* As in a thread that resident code does not serve. */
static inline void regs_clear_tcb_base(struct regs *r);

/* Register number i of an instruction's encoding (disasm/disasm.h); 0 if none has it. */
static inline uint64_t regs_encoded(const struct regs *r, uint32_t i);
/* The general registers by their DWARF numbers (enum regs_dwarf). */
static inline void regs_to_dwarf(const struct regs *r, uint64_t reg[REGS_DWARF_COUNT]);
/*
 * Completes registers saved by resident code with what a thread stopped by a breakpoint
 * has in the others; tls is the base of its thread-local storage.
 */
static inline void regs_set_stopped(struct regs *r, uint64_t tls);
/*
 * One more element, which is no register: the place key of the site, or 0
 * (tracer/base/place_keys.h). Only the compiler uses it, for locals.NAME.
 */
#define REGS_UREG_PLACE REGS_UREGS
/* Element i of uregs[], in the order of the documented R_ names; i < REGS_UREGS. */
static inline uint64_t regs_ureg(const struct regs *r, uint32_t i);
/* The element of uregs[] that is the general register with this DWARF number. */
static inline uint32_t regs_ureg_of_dwarf(uint32_t dwarf);

/*
 * Copies what a program can change by itself: the general registers, the stack
 * pointer, pc, and the flags a program may set. `from` may come from memory that the
 * traced process can write to. Everything else in `to` stays, but it is in no system
 * call that the kernel could restart.
 */
static inline void regs_copy_user(struct regs *to, const struct regs *from);

/*
 * Signals. At a handler's first instruction the interrupted pc is the word at
 * regs_interrupted_pc_at(). Inside a ucontext_t the general registers begin at byte
 * REGS_UCONTEXT_AT in the order regs_ucontext_order[] (DWARF numbers), followed by pc.
 */
static inline uint64_t regs_interrupted_pc_at(uint64_t sp);
/* Whether 8 bytes of code, loaded as a little-endian word, begin a call of sigreturn. */
static inline bool regs_is_sigreturn(uint64_t code);
/* Whether the last of these bytes may be the end of a call instruction. */
static inline bool regs_may_end_call(uint64_t code);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * What clauses see from inside a process: arguments, registers, times, and its
 * memory, good and bad, without one fault reaching the process.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <cmocka.h>
#include <ucontext.h>

#include "tests/unit/support/resident_cpu.h"
#include "tests/unit/support/resident_lab.h"

/* Hooked: a jump, and a call that is retargeted. */
uint64_t f_many(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
		uint64_t, uint64_t, uint64_t);
uint64_t f_called(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
		  uint64_t, uint64_t, uint64_t);
extern const unsigned char f_many_end[], f_called_end[];

__asm__(".pushsection .text\n"
	".p2align 12\n"
	".globl hooked_begin, hooked_end\n"
	".globl f_many, f_many_end, f_called, f_called_end\n"
	"hooked_begin:\n"
	"f_many:\n"
	"	mov %r8, %r8\n"
	"	mov %r9, %r9\n"
	"	ret\n"
	"f_many_end:\n"
	".p2align 6\n"
	"f_called:\n"
	"	call callee\n"
	"	ret\n"
	"f_called_end:\n"
	".p2align 6\n"
	"callee:\n"
	"	ret\n"
	".p2align 12\n"
	"hooked_end:\n"
	".popsection\n");

static ATTR_NOINLINE void call_many(void)
{
	f_many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
}

static struct lab *lab_many(struct builder *b)
{
	struct lab *lab = lab_new(b);

	lab_hook(lab, f_many, f_many_end, 0);
	lab_hook(lab, f_called, f_called_end, 0);
	lab_register(lab, 0, false);
	return lab;
}

/* A clause that traces the values of some built-ins. */
static struct builder *tracing(const enum builtin *ids, uint32_t n)
{
	struct builder *b = builder_new();
	insn_t code[256];
	uint32_t k = 0;

	code[k++] = I(TUP, 0, 0, 0, 0);
	for (uint32_t i = 0; i < n; i++) {
		code[k++] = I(BI, 0, 0, 0, ids[i]);
		code[k++] = I(TPI, 0, 0, 8, 0);
		build_field(b, field_int(8, false));
	}
	code[k++] = I(REC, 0, 0, 0, 0);
	code[k++] = I(END, 0, 0, 0, 0);
	build_action(b, ACTION_trace, n);
	build_clause(b, code, k);
	return b;
}

/* The values of the slot's next record. */
static const uint64_t *traced(struct lab *lab)
{
	const struct record *r = lab_record(lab, resident_slot(0, 0));

	assert_non_null(r);
	assert_int_equal(r->kind, RECORD_DATA);
	assert_int_equal(r->pid, getpid());
	assert_int_equal(r->tid, syscall(SYS_gettid));
	return (const uint64_t *)(const void *)((const char *)(r + 1) +
						sizeof(struct record_item));
}

static void test_arguments(void **state)
{
	static const enum builtin ids[] = {
		BUILTIN_arg0, BUILTIN_arg1, BUILTIN_arg2, BUILTIN_arg3, BUILTIN_arg4,
		BUILTIN_arg5, BUILTIN_arg6, BUILTIN_arg7, BUILTIN_arg8, BUILTIN_arg9};
	struct lab *lab = lab_many(tracing(ids, ARRAY_LEN(ids)));
	const uint64_t *values;

	(void)state;
	f_many(1, 2, 3, 4, 5, 6, 7, 8, 9, UINT64_MAX);
	values = traced(lab);
	for (uint64_t i = 0; i < 9; i++)
		assert_int_equal(values[i], i + 1);
	assert_int_equal(values[9], UINT64_MAX);
	f_called(11, 12, 13, 14, 15, 16, 17, 18, 19, 20);
	values = traced(lab);
	for (uint64_t i = 0; i < 10; i++)
		assert_int_equal(values[i], i + 11);
	lab_free(lab);
}

/* A return's arguments: the offset, and the registers of results. */
static void test_return(void **state)
{
	const uint64_t words[] = {resident_list(3, 1), resident_return(0, 77)};
	static const enum builtin ids[] = {BUILTIN_arg0, BUILTIN_arg1, BUILTIN_arg2,
					   BUILTIN_arg3};
	struct lab *lab = lab_many(tracing(ids, ARRAY_LEN(ids)));
	struct resident_hit *hits = resident_hit_table(&lab->view);
	struct resident_site *site = resident_site_table(&lab->view);
	const uint64_t *values;

	(void)state;
	hits[3] = (struct resident_hit){.arg0 = 77, .kind = RESIDENT_RETURN};
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		atomic_store(&site[0].hits, words[i]);
		f_many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
		values = traced(lab);
		assert_int_equal(values[0], 77);
		assert_int_not_equal(values[1], 2); /* rax, not rsi */
		assert_int_equal(values[2], 3);	    /* rdx */
		assert_int_equal(values[3], 0);
	}
	lab_free(lab);
}

/* An indirect jump is a return when it goes outside of the function's parts. */
static void test_leaving(void **state)
{
	enum { RDI = 7, RSI = 6, NONE = RESIDENT_NO_REG };
	static const uint64_t table[] = {0x1fff, 0x2000, 0x2fff,
					 0x3000, 0x5000, 0x5fff};
	const int64_t at = (int64_t)(uintptr_t)table;
	const struct {
		struct resident_hit hit;
		uint64_t rdi, rsi;
		bool fires;
	} cases[] = {
		{{.reg = RDI}, 0x1fff, 0, true},
		{{.reg = RDI}, 0x2000, 0, false},
		{{.reg = RDI}, 0x2fff, 0, false},
		{{.reg = RDI}, 0x3000, 0, true},
		{{.reg = RDI}, 0x5000, 0, false},
		{{.reg = RSI}, 0x2000, 0x6000, true},
		{{.reg = NONE, .base = NONE, .index = NONE, .disp = at + 8},
		 0,
		 0,
		 false},
		{{.reg = NONE, .base = NONE, .index = NONE, .disp = at}, 0, 0, true},
		{{.reg = NONE, .base = RDI, .index = NONE, .disp = at}, 24, 0, true},
		{{.reg = NONE, .base = RDI, .index = RSI, .scale = 8, .disp = at},
		 16,
		 3,
		 false},
		{{.reg = NONE, .base = RDI, .index = RSI, .scale = 4, .disp = at},
		 16,
		 2,
		 true},
		/* where nothing can be read, the jump faults and leaves nothing */
		{{.reg = NONE, .base = RDI, .index = NONE, .disp = 0}, 16, 0, false},
	};
	static const enum builtin ids[] = {BUILTIN_arg0};
	struct lab *lab = lab_many(tracing(ids, 1));
	struct resident_hit *hits = resident_hit_table(&lab->view);
	struct resident_range *parts = resident_range_table(&lab->view);
	struct resident_site *site = resident_site_table(&lab->view);

	(void)state;
	parts[4] = (struct resident_range){0x2000, 0x3000};
	parts[5] = (struct resident_range){0x5000, 0x6000};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		hits[i] = cases[i].hit;
		hits[i].kind = RESIDENT_LEAVING;
		hits[i].arg0 = 9;
		hits[i].first_range = 4;
		hits[i].nranges = 2;
		atomic_store(&site[0].hits, resident_list((uint32_t)i, 1));
		f_many(cases[i].rdi, cases[i].rsi, 3, 4, 5, 6, 7, 8, 9, 10);
		if (!cases[i].fires)
			assert_null(lab_record(lab, resident_slot(0, 0)));
		else
			assert_int_equal(traced(lab)[0], 9);
	}
	lab_free(lab);
}

static void test_identity(void **state)
{
	static const enum builtin ids[] = {BUILTIN_pid,	   BUILTIN_tid,	   BUILTIN_uid,
					   BUILTIN_gid,	   BUILTIN_caller, BUILTIN_id,
					   BUILTIN_ucaller};
	struct lab *lab = lab_many(tracing(ids, ARRAY_LEN(ids)));
	const uint64_t *values;

	(void)state;
	call_many();
	values = traced(lab);
	assert_int_equal(values[0], getpid());
	assert_int_equal(values[1], syscall(SYS_gettid));
	assert_int_equal(values[2], getuid());
	assert_int_equal(values[3], getgid());
	assert_int_equal(values[4], 0);
	assert_int_equal(values[5], 1);
	assert_in_range(values[6], (uintptr_t)call_many, (uintptr_t)call_many + 512);
	lab_free(lab);
}

/* The last one is the place key of the site. */
enum { UREGS = 29, UREG_RIP = 17, UREG_RFL = 19, UREG_RSP = 20, UREG_FSBASE = 22 };

static struct builder *tracing_uregs(void)
{
	struct builder *b = builder_new();
	const insn_t beyond[] = {I(LI, 0, 0, 0, UREGS), I(BIX, 1, 0, 0, BUILTIN_uregs),
				 I(END, 0, 0, 0, 0)};
	insn_t code[256];
	uint32_t k = 0;

	code[k++] = I(TUP, 0, 0, 0, 0);
	for (uint32_t i = 0; i < UREGS; i++) {
		code[k++] = I(LI, 0, 0, 0, i);
		code[k++] = I(BIX, 1, 0, 0, BUILTIN_uregs);
		code[k++] = I(TPI, 1, 0, 8, 0);
		build_field(b, field_int(8, false));
	}
	code[k++] = I(REC, 0, 0, 0, 0);
	code[k++] = I(END, 0, 0, 0, 0);
	build_action(b, ACTION_trace, UREGS);
	build_clause(b, code, k);
	build_clause(b, beyond, ARRAY_LEN(beyond));
	return b;
}

static void check_uregs(const uint64_t *values, const struct cpu *in, const void *pc)
{
	/* The place in struct cpu of R15 R14 ... RAX. */
	static const int order[] = {15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 3, 2, 1, 0};
	uint64_t fs_base = 0;

	for (size_t i = 0; i < ARRAY_LEN(order); i++)
		assert_int_equal(values[i], in->gpr[order[i]]);
	assert_int_equal(values[UREG_RIP], (uintptr_t)pc);
	assert_int_equal(values[UREG_RFL], in->flags);
	assert_int_equal(values[UREG_RSP], in->gpr[CPU_RSP] - 8);
	syscall(SYS_arch_prctl, ARCH_GET_FS, &fs_base);
	assert_int_equal(values[UREG_FSBASE], fs_base);
	assert_int_equal(values[UREG_FSBASE + 1], 0);
	assert_in_range(values[UREGS - 1], LAB_PLACE, LAB_PLACE + LAB_SITES);
}

static const struct record_fault *faulted(struct lab *lab, int32_t fault)
{
	const struct record *r = lab_record(lab, resident_slot(0, 0));
	const struct record_fault *f = (const void *)(r + 1);

	assert_non_null(r);
	assert_int_equal(r->kind, RECORD_FAULT);
	assert_int_equal(f->fault, fault);
	return f;
}

static void test_uregs(void **state)
{
	static _Alignas(16) unsigned char stack[4096];
	struct lab *lab = lab_many(tracing_uregs());
	const void *const functions[] = {(const void *)(uintptr_t)f_many,
					 (const void *)(uintptr_t)f_called};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct cpu in = random_cpu(0), out;

		in.gpr[CPU_RSP] = (uintptr_t)(stack + 2048);
		run_with(&in, &out, functions[i]);
		check_uregs(traced(lab), &in, functions[i]);
		faulted(lab, FAULT_ILLOP);
	}
	lab_free(lab);
}

static uint64_t now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static uint64_t vdso_clock(void)
{
	void *vdso = dlopen("linux-vdso.so.1", RTLD_LAZY | RTLD_NOLOAD);

	return vdso ? (uintptr_t)dlsym(vdso, "__vdso_clock_gettime") : 0;
}

static void check_times(struct lab *lab)
{
	uint64_t last = now(CLOCK_MONOTONIC);

	for (int i = 0; i < 100; i++) {
		uint64_t wall = now(CLOCK_REALTIME);
		const uint64_t *values;

		call_many();
		values = traced(lab);
		assert_in_range(values[0], last, now(CLOCK_MONOTONIC));
		assert_in_range(values[1], wall, now(CLOCK_REALTIME));
		last = values[0];
	}
}

/* By the vDSO, and by a system call where there is none to call. */
static void test_times(void **state)
{
	static const enum builtin ids[] = {BUILTIN_timestamp, BUILTIN_walltimestamp};
	struct lab *lab = lab_many(tracing(ids, ARRAY_LEN(ids)));

	(void)state;
	assert_true(vdso_clock());
	lab->block->clock = vdso_clock();
	check_times(lab);
	lab->block->clock = 0;
	check_times(lab);
	lab_free(lab);
}

static void test_cpu(void **state)
{
	static const enum builtin ids[] = {BUILTIN_arg0};
	struct lab *lab = lab_many(tracing(ids, ARRAY_LEN(ids)));
	cpu_set_t all, one;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
	for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		const struct record *r;

		if (!CPU_ISSET(cpu, &all))
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
		call_many();
		r = lab_record(lab, resident_slot(0, 0));
		assert_non_null(r);
		assert_int_equal(r->cpu, cpu);
	}
	assert_int_equal(sched_setaffinity(0, sizeof(all), &all), 0);
	lab_free(lab);
}

/* trace(first byte), trace(last byte) of copyin(arg0, arg1) */
static struct builder *copying(void)
{
	struct builder *b = builder_new();
	const insn_t code[] = {
		I(BI, 0, 0, 0, BUILTIN_arg0),
		I(BI, 1, 0, 0, BUILTIN_arg1),
		I(CALL, 2, 0, 2, SUBR_copyin),
		I(LD, 3, 2, 1, 0),
		I(ADD, 4, 2, 1, 0),
		I(LD, 5, 4, 1, -1),
		I(TUP, 0, 0, 0, 0),
		I(TPI, 3, 0, 8, 0),
		I(TPI, 5, 0, 8, 0),
		I(REC, 0, 0, 0, 0),
		I(END, 0, 0, 0, 0),
	};

	build_field(b, field_int(8, false));
	build_field(b, field_int(8, false));
	build_action(b, ACTION_trace, 2);
	build_clause(b, code, ARRAY_LEN(code));
	return b;
}

/* trace(copyinstr(arg0)) */
static struct builder *copying_string(void)
{
	struct builder *b = builder_new();
	const insn_t code[] = {
		I(BI, 0, 0, 0, BUILTIN_arg0), I(CALL, 1, 0, 1, SUBR_copyinstr),
		I(TUP, 0, 0, 0, 0),	      I(TPS, 1, 0, 0, 0),
		I(REC, 0, 0, 0, 0),	      I(END, 0, 0, 0, 0),
	};

	build_field(b, field_string(256));
	build_action(b, ACTION_trace, 1);
	build_clause(b, code, ARRAY_LEN(code));
	return b;
}

/*
 * To be made last, or another mapping takes the hole. Pages: 0 and 1 readable (1
 * read-only), 2 without access, 3 not mapped, 4 readable, 5 beyond the end of
 * its file.
 */
enum { READABLE = 0, NO_ACCESS = 2, UNMAPPED = 3, FILE_END = 4, PAGES = 6 };

static unsigned char *map_pages(void)
{
	unsigned char *p = mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = memfd_create("pages", 0);

	assert_true(p != MAP_FAILED && fd >= 0);
	for (size_t i = 0; i < 2 * 4096; i++)
		p[i] = (unsigned char)(i % 251 + 1);
	assert_int_equal(mprotect(p + 4096, 4096, PROT_READ), 0);
	assert_int_equal(mprotect(p + NO_ACCESS * 4096, 4096, PROT_NONE), 0);
	assert_int_equal(munmap(p + UNMAPPED * 4096, 4096), 0);
	assert_int_equal(ftruncate(fd, 4096), 0);
	assert_true(mmap(p + FILE_END * 4096, 2 * 4096, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_FIXED, fd, 0) != MAP_FAILED);
	close(fd);
	return p;
}

static void unmap_pages(unsigned char *p)
{
	munmap(p, PAGES * 4096);
}

struct copy_case {
	bool is_absolute; /* addr is no offset into the pages */
	uint64_t addr, n;
	bool is_bad;
	uint64_t bad; /* like addr */
};

static const struct copy_case copies[] = {
	{.addr = 0, .n = 1},
	{.addr = 5, .n = 7},
	{.addr = 4096 - 3, .n = 8},
	{.addr = 1, .n = 2 * 4096 - 1},
	{.addr = 4096, .n = 4096},
	{.addr = 2 * 4096 - 8, .n = 16, .is_bad = true, .bad = 2 * 4096},
	{.addr = 1000, .n = 7500, .is_bad = true, .bad = 2 * 4096},
	{.addr = NO_ACCESS * 4096 + 77,
	 .n = 1,
	 .is_bad = true,
	 .bad = NO_ACCESS * 4096 + 77},
	{.addr = UNMAPPED * 4096 + 8,
	 .n = 8,
	 .is_bad = true,
	 .bad = UNMAPPED * 4096 + 8},
	{.addr = FILE_END * 4096 + 4000,
	 .n = 200,
	 .is_bad = true,
	 .bad = (FILE_END + 1) * 4096},
	{.is_absolute = true, .addr = 0, .n = 8, .is_bad = true, .bad = 0},
	{.is_absolute = true, .addr = 4095, .n = 1, .is_bad = true, .bad = 4095},
	{.is_absolute = true,
	 .addr = 0x7ffffffff000,
	 .n = 8,
	 .is_bad = true,
	 .bad = 0x7ffffffff000},
	{.is_absolute = true,
	 .addr = 0x800000000000,
	 .n = 8,
	 .is_bad = true,
	 .bad = 0x800000000000},
	{.is_absolute = true,
	 .addr = 0xffff800000000000,
	 .n = 8,
	 .is_bad = true,
	 .bad = 0xffff800000000000},
	{.is_absolute = true,
	 .addr = 0xffffffffff600000,
	 .n = 8,
	 .is_bad = true,
	 .bad = 0xffffffffff600000},
	{.is_absolute = true,
	 .addr = 0xdead000000000000,
	 .n = 8,
	 .is_bad = true,
	 .bad = 0xdead000000000000},
	{.is_absolute = true,
	 .addr = UINT64_MAX - 3,
	 .n = 8,
	 .is_bad = true,
	 .bad = UINT64_MAX - 3},
};

static void check_copy(struct lab *lab, const struct copy_case *c,
		       const unsigned char *pages)
{
	uint64_t base = c->is_absolute ? 0 : (uintptr_t)pages;
	const uint64_t *values;

	f_many(base + c->addr, c->n, 3, 4, 5, 6, 7, 8, 9, 10);
	if (c->is_bad) {
		assert_int_equal(faulted(lab, FAULT_BADADDR)->address, base + c->bad);
		return;
	}
	values = traced(lab);
	assert_int_equal(values[0], pages[c->addr]);
	assert_int_equal(values[1], pages[c->addr + c->n - 1]);
}

/*
 * Faults are blocked here, so a single one would kill the process; and the mask
 * itself, which the question passes through, stays as it is.
 */
static void test_copyin(void **state)
{
	struct lab *lab = lab_many(copying());
	unsigned char *pages = map_pages();
	sigset_t faults, before, after;

	(void)state;
	memset(&before, 0, sizeof(before)); /* the kernel fills 8 bytes of it */
	memset(&after, 0, sizeof(after));
	sigemptyset(&faults);
	sigaddset(&faults, SIGSEGV);
	sigaddset(&faults, SIGBUS);
	pthread_sigmask(SIG_BLOCK, &faults, NULL);
	pthread_sigmask(SIG_BLOCK, NULL, &before);
	for (size_t i = 0; i < ARRAY_LEN(copies); i++)
		check_copy(lab, &copies[i], pages);
	/* What was found readable counts for its hit only. */
	mprotect(pages, 4096, PROT_NONE);
	f_many((uintptr_t)pages + 5, 1, 3, 4, 5, 6, 7, 8, 9, 10);
	assert_int_equal(faulted(lab, FAULT_BADADDR)->address, (uintptr_t)pages + 5);
	pthread_sigmask(SIG_SETMASK, NULL, &after);
	assert_memory_equal(&before, &after, sizeof(before));
	pthread_sigmask(SIG_UNBLOCK, &faults, NULL);
	unmap_pages(pages);
	lab_free(lab);
}

static void check_copied(struct lab *lab, const void *addr, const void *text,
			 size_t want)
{
	const struct record *r;
	const unsigned char *payload;
	uint32_t len;

	f_many((uintptr_t)addr, 2, 3, 4, 5, 6, 7, 8, 9, 10);
	r = lab_record(lab, resident_slot(0, 0));
	assert_non_null(r);
	assert_int_equal(r->kind, RECORD_DATA);
	payload = (const unsigned char *)(r + 1) + sizeof(struct record_item);
	memcpy(&len, payload, sizeof(len));
	assert_int_equal(len, want);
	assert_memory_equal(payload + 4, text, want);
}

static void check_string(struct lab *lab, const char *addr, size_t want)
{
	check_copied(lab, addr, addr, want);
}

static void check_text(struct lab *lab, const void *addr, const char *text)
{
	check_copied(lab, addr, text, strlen(text));
}

static void test_copyinstr(void **state)
{
	struct lab *lab = lab_many(copying_string());
	unsigned char *pages = map_pages();

	(void)state;
	memcpy(pages + 100, "hello", 6);
	check_string(lab, (char *)pages + 100, 5);
	check_string(lab, (char *)pages + 105, 0);
	/* Over the edge of a page, cut at strsize - 1. */
	check_string(lab, (char *)pages + 4096 - 10, 255);
	/* No end before memory ends; a NUL as the very last byte. */
	f_many((uintptr_t)pages + 2 * 4096 - 4, 2, 3, 4, 5, 6, 7, 8, 9, 10);
	assert_int_equal(faulted(lab, FAULT_BADADDR)->address,
			 (uintptr_t)pages + 2 * 4096);
	mprotect(pages + 4096, 4096, PROT_READ | PROT_WRITE);
	pages[2 * 4096 - 1] = 0;
	check_string(lab, (char *)pages + 2 * 4096 - 4, 3);
	f_many(0, 2, 3, 4, 5, 6, 7, 8, 9, 10);
	assert_int_equal(faulted(lab, FAULT_BADADDR)->address, 0);
	f_many(UINT64_MAX, 2, 3, 4, 5, 6, 7, 8, 9, 10);
	assert_int_equal(faulted(lab, FAULT_BADADDR)->address, UINT64_MAX);
	unmap_pages(pages);
	lab_free(lab);
}

/* Long strings are copied by string instructions, which the target's flag must not turn. */
static void test_direction(void **state)
{
	struct builder *b = copying_string();
	struct lab *lab;
	unsigned char *pages;
	struct cpu in = random_cpu(FLAG_DIRECTION), out;
	const struct record *r;

	(void)state;
	b->strsize = 1024;
	b->fields[0] = field_string(1024);
	lab = lab_many(b);
	pages = map_pages();
	memset(pages, 'y', 1000);
	pages[1000] = 0;
	in.gpr[7] = (uintptr_t)pages;
	run_with(&in, &out, (const void *)(uintptr_t)f_many);
	r = lab_record(lab, resident_slot(0, 0));
	assert_non_null(r);
	assert_memory_equal((const char *)(r + 1) + sizeof(struct record_item) + 4,
			    pages, 1000);
	unmap_pages(pages);
	lab_free(lab);
}

static struct lab *guarded_lab;
static int nredirected;

/* What the keeper does with a fault in the guarded loads. */
static void redirect(int sig, siginfo_t *si, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;
	uint64_t at = (uint64_t)regs[REG_RIP] - guarded_lab->place.text;

	(void)si;
	if (at < guarded_lab->text->guard_begin || at >= guarded_lab->text->guard_end) {
		signal(sig, SIG_DFL);
		return;
	}
	regs[REG_RIP] =
		(greg_t)(guarded_lab->place.text + guarded_lab->text->guard_fixup);
	nredirected++;
}

static void list_ranges(struct lab *lab, const struct resident_range *r, uint32_t n)
{
	struct resident_range *at = resident_range_table(&lab->view);

	memcpy(at + 2, r, n * sizeof(*r));
	atomic_store(&lab->block->ranges, resident_list(2, n));
}

/* Pages said to be readable that are no more: the guard is what is left. */
static void test_guard(void **state)
{
	const struct sigaction sa = {.sa_sigaction = redirect, .sa_flags = SA_SIGINFO};
	struct lab *lab = guarded_lab = lab_many(copying());
	unsigned char *pages = map_pages();
	uint64_t p = (uintptr_t)pages;
	const struct resident_range ranges[] = {
		{4096, 8192}, {p, p + 3 * 4096}, {p + 4 * 4096, p + 6 * 4096}};

	(void)state;
	nredirected = 0;
	sigaction(SIGSEGV, &sa, NULL);
	sigaction(SIGBUS, &sa, NULL);
	list_ranges(lab, ranges, ARRAY_LEN(ranges));
	for (size_t i = 0; i < ARRAY_LEN(copies); i++)
		check_copy(lab, &copies[i], pages);
	/* Into page 2 three times, into page 5 once. */
	assert_int_equal(nredirected, 4);
	/* A list that lies outside the block's is none. */
	atomic_store(&lab->block->ranges, resident_list(15, 2));
	check_copy(lab, &copies[7], pages);
	assert_int_equal(nredirected, 4);
	signal(SIGSEGV, SIG_DFL);
	signal(SIGBUS, SIG_DFL);
	lab_free(lab);
	unmap_pages(pages);
}

/* Where ours are all 'x'. */
static void set_mask(struct lab *lab, uint32_t index, const unsigned char *at,
		     const char *original, uint32_t n)
{
	struct resident_shadow *m = resident_shadow_table(&lab->view);

	atomic_store(&m[index].at, (uintptr_t)at);
	atomic_store(&m[index].original,
		     resident_shadow_bytes((const uint8_t *)original, n));
	atomic_store(&m[index].ours,
		     resident_shadow_bytes((const uint8_t *)"xxxxxxx", n));
}

/* What covers code is not seen, in any part of it that is read. */
static void test_shadows(void **state)
{
	struct lab *lab = lab_new(copying_string());
	unsigned char *pages = map_pages();

	(void)state;
	lab_hook(lab, f_many, f_many_end, 0);
	lab_register(lab, 0, false);
	mprotect(pages + 4096, 4096, PROT_READ | PROT_WRITE);
	memset(pages, 'x', 4100);
	memset(pages + 30, 0, 1);
	/* Nothing is masked yet. */
	check_string(lab, (char *)pages + 8, 22);
	set_mask(lab, LAB_SHADOWS / 2, pages + 10, "12345", 5);
	set_mask(lab, LAB_SHADOWS / 2 + 1, pages + 20, "6", 1);
	set_mask(lab, LAB_SHADOWS / 2 + 2, pages + 4094, "ABC\0D", 5);
	atomic_store(&lab->block->shadows, resident_shadows(1, 3));
	check_text(lab, pages + 8, "xx12345xxxxx6xxxxxxxxx");
	check_text(lab, pages + 12, "345xxxxx6xxxxxxxxx");
	check_text(lab, pages + 20, "6xxxxxxxxx");
	check_text(lab, pages + 21, "xxxxxxxxx");
	check_text(lab, pages + 4092, "xxABC");
	check_text(lab, pages + 4096, "C");
	/* Only what is ours. */
	pages[11] = 'y';
	check_text(lab, pages + 8, "xx1y345xxxxx6xxxxxxxxx");
	pages[11] = 'x';
	/* Of an even turn, in the other half. */
	set_mask(lab, 0, pages + 12, "z", 1);
	atomic_store(&lab->block->shadows, resident_shadows(2, 1));
	check_text(lab, pages + 8, "xxxxzxxxxxxxxxxxxxxxxx");
	/* A list that a half has no room for is none. */
	atomic_store(&lab->block->shadows, resident_shadows(2, LAB_SHADOWS / 2 + 1));
	check_text(lab, pages + 8, "xxxxxxxxxxxxxxxxxxxxxx");
	unmap_pages(pages);
	lab_free(lab);
}

/* What publish_shadows() works on. */
static struct publishing {
	struct lab *lab;
	unsigned char *text;
	_Atomic bool is_over;
	uint64_t turn;
} publishing;

enum { COVERED = 1000 };

/*
 * As the keeper does: 'o' everywhere, in pieces that each half has of one size, then
 * of another.
 */
static void publish_shadows(void)
{
	struct resident_block *b = publishing.lab->block;
	uint64_t turn = ++publishing.turn;
	uint32_t piece = turn & 2 ? 7 : 1, n = 0;

	atomic_thread_fence(memory_order_release);
	for (uint32_t at = 0; at < COVERED; at += piece)
		set_mask(publishing.lab, (turn & 1 ? LAB_SHADOWS / 2 : 0) + n++,
			 publishing.text + at, "ooooooo", piece);
	atomic_store_explicit(&b->shadows, resident_shadows(turn, n),
			      memory_order_release);
}

static void *publish_on(void *ctx)
{
	while (!publishing.is_over)
		publish_shadows();
	return ctx;
}

/* Lists that are exchanged meanwhile are never seen half. */
static void test_shadows_change(void **state)
{
	struct builder *b = copying_string();
	unsigned char *pages = map_pages();
	char want[COVERED + 1];
	struct lab *lab;
	pthread_t publisher;

	(void)state;
	b->strsize = 1024;
	b->fields[0] = field_string(1024);
	lab = lab_many(b);
	memset(pages, 'x', COVERED);
	pages[COVERED] = 0;
	memset(want, 'o', COVERED);
	want[COVERED] = 0;
	publishing = (struct publishing){.lab = lab, .text = pages};
	publish_shadows();
	assert_int_equal(pthread_create(&publisher, NULL, publish_on, NULL), 0);
	for (int i = 0; i < 20000; i++)
		check_text(lab, pages, want);
	publishing.is_over = true;
	pthread_join(publisher, NULL);
	unmap_pages(pages);
	lab_free(lab);
}

/* The stack from rsp up is loaded from directly, the pages below are asked for. */
static void test_own_stack(void **state)
{
	const struct sigaction sa = {.sa_sigaction = redirect, .sa_flags = SA_SIGINFO};
	struct lab *lab = guarded_lab = lab_many(copying());
	unsigned char *pages = map_pages();
	uint64_t p = (uintptr_t)pages;
	struct cpu in = random_cpu(0), out;

	(void)state;
	nredirected = 0;
	sigaction(SIGSEGV, &sa, NULL);
	lab_tcb(lab, 0)->thread.stack_lo = p;
	lab_tcb(lab, 0)->thread.stack_hi = p + 3 * 4096;
	in.gpr[CPU_RSP] = p + 4096 - 256;
	in.gpr[7] = p + 2 * 4096 - 8;
	in.gpr[6] = 16;
	run_with(&in, &out, (const void *)(uintptr_t)f_many);
	assert_int_equal(faulted(lab, FAULT_BADADDR)->address, p + 2 * 4096);
	assert_int_equal(nredirected, 1);
	/* The same address with rsp in no known stack. */
	in.gpr[CPU_RSP] = p + 4096 - 256;
	lab_tcb(lab, 0)->thread.stack_hi = p;
	run_with(&in, &out, (const void *)(uintptr_t)f_many);
	assert_int_equal(faulted(lab, FAULT_BADADDR)->address, p + 2 * 4096);
	assert_int_equal(nredirected, 1);
	/* Below rsp, inside the stack. */
	lab_tcb(lab, 0)->thread.stack_hi = p + 5 * 4096;
	in.gpr[CPU_RSP] = p + FILE_END * 4096 + 2048;
	in.gpr[7] = p + NO_ACCESS * 4096;
	run_with(&in, &out, (const void *)(uintptr_t)f_many);
	assert_int_equal(faulted(lab, FAULT_BADADDR)->address, in.gpr[7]);
	assert_int_equal(nredirected, 1);
	signal(SIGSEGV, SIG_DFL);
	lab_free(lab);
	unmap_pages(pages);
}

/* Resident code never needs more than half of a level's stack. */
static void test_stack_depth(void **state)
{
	struct lab *lab = lab_many(tracing_uregs());
	struct resident_level *level = &lab_tcb(lab, 0)->level[0];
	size_t untouched = 0;

	(void)state;
	memset(level->stack, 0xa5, sizeof(level->stack));
	lab->block->clock = vdso_clock();
	call_many();
	while (level->stack[untouched] == 0xa5)
		untouched++;
	assert_true(untouched > sizeof(level->stack) / 2);
	lab_free(lab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_return),
		cmocka_unit_test(test_leaving),
		cmocka_unit_test(test_arguments),
		cmocka_unit_test(test_identity),
		cmocka_unit_test(test_uregs),
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_cpu),
		cmocka_unit_test(test_copyin),
		cmocka_unit_test(test_copyinstr),
		cmocka_unit_test(test_guard),
		cmocka_unit_test(test_direction),
		cmocka_unit_test(test_shadows),
		cmocka_unit_test(test_shadows_change),
		cmocka_unit_test(test_own_stack),
		cmocka_unit_test(test_stack_depth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

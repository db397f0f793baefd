/* SPDX-License-Identifier: MIT */
/*
 * Rows against two other readers of the same unwind tables: libdw, at every row of
 * the objects that this program has mapped, and libunwind, at every instruction of
 * calls that are stepped through: the C library, lazily bound calls, the loader, signal
 * handlers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <locale.h>
#include <regex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#define UNW_LOCAL_ONLY
#include <libunwind.h>

#include "symbols/symbols.h"
#include "vm/base/cfi_expression.h"
#include "vm/base/host/vec.h"
#include "vm/base/walk.h"

#ifdef __SANITIZE_ADDRESS__
#define STEPS_MAX 500
#else
#define STEPS_MAX 40000
#endif
#define FRAMES	  64
#define TRAP_FLAG 0x100
#define WRONG_MAX 5 /* shown */

/* ---- libdw ---- */

static bool is_breg(const Dwarf_Op *op, int *reg)
{
	if (op->atom == DW_OP_bregx)
		*reg = (int)op->number;
	else if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
		*reg = op->atom - DW_OP_breg0;
	else
		return false;
	return true;
}

/* Whether the row's place of the register is what libdw says. */
static bool is_same_place(Dwarf_Frame *frame, int reg, int16_t place, bool by_reg)
{
	Dwarf_Op memory[3], *ops;
	size_t n;

	assert_int_equal(dwarf_frame_register(frame, reg, memory, &ops, &n), 0);
	if (!ops)
		return place == CFI_SAME;
	if (n == 0) /* undefined, or nothing said: the ABI says it is kept */
		return place == CFI_LOST || place == CFI_SAME;
	if (n <= 2 && ops[0].atom == DW_OP_call_frame_cfa) {
		int64_t offset = n == 2 ? (int64_t)ops[1].number : 0;

		return !by_reg && place * 8 == offset;
	}
	return by_reg || place == CFI_LOST;
}

static bool is_same_cfa(const struct cfi_row *row, const Dwarf_Op *ops, size_t n)
{
	int reg;

	if (n == 0 || !is_breg(&ops[0], &reg))
		return row->form == CFI_ROW_NONE;
	if (n == 1) {
		int64_t offset = (int64_t)(ops[0].atom == DW_OP_bregx ? ops[0].number2
								      : ops[0].number);

		return (row->form == CFI_ROW_PLAIN || row->form == CFI_ROW_LINK) &&
		       row->reg == reg && row->cfa == offset;
	}
	if (row->form == CFI_ROW_EXPRESSION)
		return n > 2 && row->reg == REGS_DWARF_SP;
	if (ops[1].atom == DW_OP_deref)
		return row->form == CFI_ROW_DEREF && row->reg == reg;
	return row->form == CFI_ROW_PLT && row->reg == reg;
}

/* 1: the same, 0: not; -1: libdw knows nothing here. */
static int compare_row(const struct cfi_row *row, Dwarf_CFI *cfi, uint64_t value)
{
	Dwarf_Frame *frame = NULL;
	Dwarf_Op *ops;
	size_t n;
	int result;

	if (dwarf_cfi_addrframe(cfi, value, &frame))
		return row->form == CFI_ROW_NONE ? -1 : 0;
	if (row->form == CFI_ROW_NONE || row->form == CFI_ROW_STOP ||
	    row->form == CFI_ROW_SIGNAL) {
		free(frame);
		return -1;
	}
	result = dwarf_frame_cfa(frame, &ops, &n) == 0 && is_same_cfa(row, ops, n) &&
		 is_same_place(frame, REGS_DWARF_FP, row->fp, row->fp_by_reg) &&
		 is_same_place(frame, REGS_DWARF_BASE, row->base, row->base_by_reg);
	free(frame);
	return result;
}

static void check_module(const struct module *m)
{
	struct module_cfi_rows rows;
	size_t wrong = 0, compared = 0;
	struct err e;
	Elf *elf;
	Dwarf_CFI *cfi;
	int fd;

	if (m->is_vdso || module_read_cfi_rows(m, &rows, &e))
		return;
	fd = open(m->path, O_RDONLY | O_CLOEXEC);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	cfi = dwarf_getcfi_elf(elf);
	assert_non_null(cfi);
	/* pieces of expressions are behind the module */
	for (size_t i = 0; i < rows.len && rows.data[i].pc <= m->hi.v - m->lo.v; i++) {
		uint64_t value = m->lo.v + rows.data[i].pc - m->bias;
		int same = compare_row(&rows.data[i], cfi, value);

		compared += same >= 0;
		if (same == 0 && wrong++ < WRONG_MAX)
			print_error("%s: row at %#llx is wrong\n", m->name,
				    (unsigned long long)value);
		assert_true(!i || rows.data[i - 1].pc < rows.data[i].pc);
	}
	print_message("%s: %zu of %zu rows compared\n", m->name, compared, rows.len);
	assert_int_equal(wrong, 0);
	assert_true(compared > rows.len / 2 || rows.len < 10);
	dwarf_cfi_end(cfi);
	elf_end(elf);
	close(fd);
	vec_release(&rows);
}

static void test_every_row(void **state)
{
	struct modules *ms;
	struct err e;

	(void)state;
	elf_version(EV_CURRENT);
	assert_int_equal(modules_read(getpid(), &ms, &e), 0);
	assert_true(ms->len > 3);
	for (size_t i = 0; i < ms->len; i++)
		check_module(ms->data[i]);
	modules_free(ms);
}

/* ---- rare forms ---- */

/* The return address in a register; rbp saved above the frame: offset -2 of -8. */
extern const char linked[], above[], by_expression_called[];
/* Its frame, while it calls f, is CFA = rsp + 8 * the word at rsp + 16, which is 4. */
void by_expression(void (*f)(void));
__asm__(".text\n"
	"by_expression:\n.cfi_startproc\n"
	"pushq $4\n.cfi_adjust_cfa_offset 8\n"
	"sub $16, %rsp\n"
	".cfi_escape 0x0f, 8, 0x77, 0, 0x77, 16, 0x06, 0x33, 0x24, 0x22\n"
	"call *%rdi\n"
	"by_expression_called: nop\n"
	"add $24, %rsp\n.cfi_def_cfa 7, 8\n"
	"ret\n.cfi_endproc\n"
	"linked:\n.cfi_startproc\n.cfi_register 16, 5\nnop\nret\n.cfi_endproc\n"
	"above:\n.cfi_startproc\n.cfi_offset 6, 16\nnop\nret\n.cfi_endproc\n");

static const struct cfi_row *row_at(const struct module *m,
				    const struct module_cfi_rows *rows, const void *at)
{
	const struct cfi_module of = {m->lo.v, m->hi.v, (uint64_t)(uintptr_t)rows->data,
				      rows->len};
	const struct cfi_modules list = {&of, 1};
	const struct cfi_row *row = cfi_find(&list, (uint64_t)(uintptr_t)at);

	assert_non_null(row);
	return row;
}

static void test_rare_forms(void **state)
{
	const struct cfi_row *row;
	struct module_cfi_rows rows;
	struct modules *ms;
	struct module *m;
	struct err e;

	(void)state;
	assert_int_equal(modules_read(getpid(), &ms, &e), 0);
	m = modules_at(ms, taddr_of((uint64_t)(uintptr_t)linked));
	assert_non_null(m);
	assert_int_equal(module_read_cfi_rows(m, &rows, &e), 0);
	row = row_at(m, &rows, linked);
	assert_int_equal(row->form, CFI_ROW_LINK);
	assert_int_equal(row->reg, REGS_DWARF_SP);
	assert_int_equal(row->cfa, 8);
	assert_int_equal(row->after, REGS_DWARF_RDI);
	row = row_at(m, &rows, above);
	assert_int_equal(row->form, CFI_ROW_PLAIN);
	assert_int_equal(row->fp, 2);
	row = row_at(m, &rows, by_expression_called);
	assert_int_equal(row->form, CFI_ROW_EXPRESSION);
	assert_int_equal(row->after, 8);
	assert_in_range(row->cfa, 1, rows.len - 1);
	assert_true(rows.data[row->cfa].pc > m->hi.v - m->lo.v);
	vec_release(&rows);
	modules_free(ms);
}

/* ---- damaged tables ---- */

/* This program's file in memory, and where its unwind table is. */
struct copy {
	unsigned char *bytes;
	size_t size, lo, hi;
};

static struct copy copy_self(void)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct copy c = {.size = (size_t)lseek(fd, 0, SEEK_END)};
	const Elf64_Ehdr *h;
	const Elf64_Shdr *s;
	const char *names;

	c.bytes = malloc(c.size);
	assert_int_equal(pread(fd, c.bytes, c.size, 0), c.size);
	close(fd);
	h = (const void *)c.bytes;
	s = (const void *)(c.bytes + h->e_shoff);
	names = (const char *)c.bytes + s[h->e_shstrndx].sh_offset;
	for (int i = 0; i < h->e_shnum; i++) {
		if (strcmp(names + s[i].sh_name, ".eh_frame"))
			continue;
		c.lo = s[i].sh_offset;
		c.hi = c.lo + s[i].sh_size;
	}
	assert_true(c.hi > c.lo);
	return c;
}

/* A few bytes of chance: reading the table ends, and its rows are in order. */
static void test_damaged_tables(void **state)
{
	struct copy c = copy_self();
	int fd = memfd_create("damaged", MFD_CLOEXEC);
	uint64_t seed = 7;
	char path[64];

	(void)state;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(pwrite(fd, c.bytes, c.size, 0), c.size);
	for (int turn = 0; turn < 300; turn++) {
		struct module_cfi_rows rows;
		struct module *m;
		struct err e;

		for (int i = 0; i < 1 + turn % 20; i++) {
			unsigned char byte;

			seed = seed * UINT64_C(6364136223846793005) +
			       UINT64_C(1442695040888963407);
			byte = (unsigned char)(seed >> 56);
			assert_int_equal(
				pwrite(fd, &byte, 1,
				       (off_t)(c.lo + (seed >> 20) % (c.hi - c.lo))),
				1);
		}
		assert_int_equal(module_read_file(path, 0x10000, &m, &e), 0);
		assert_int_equal(module_read_cfi_rows(m, &rows, &e), 0);
		for (size_t i = 1; i < rows.len; i++)
			assert_true(rows.data[i - 1].pc < rows.data[i].pc);
		vec_release(&rows);
		module_free(m);
		if (turn % 50 == 49) /* afresh, or little is left to be read */
			assert_int_equal(pwrite(fd, c.bytes, c.size, 0), c.size);
	}
	close(fd);
	free(c.bytes);
}

/* ---- libunwind, instruction by instruction ---- */

static struct {
	struct modules *modules;
	struct cfi_module module[64];
	struct cfi_modules list;
	size_t steps, wrong, frames, given_up, expressions;
	volatile sig_atomic_t is_on;
} stepping;

/* What is not readable must not kill us. */
static bool read_word(void *ctx, uint64_t addr, uint64_t *value)
{
	struct iovec local = {value, sizeof(*value)};
	struct iovec remote = {(void *)(uintptr_t)addr, sizeof(*value)};

	(void)ctx;
	return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == 8;
}

static const struct cfi_row *find_row(void *ctx, uint64_t pc)
{
	(void)ctx;
	return cfi_find(&stepping.list, pc);
}

static bool find_cfa(void *ctx, const struct walk_frame *f, const struct cfi_row *row,
		     uint64_t *cfa)
{
	const struct unwind_source words = {.word = read_word};
	const struct cfi_module *m =
		cfi_find_module(&stepping.list, f->regs->pc - !f->is_exact);
	bool is_found = m && cfi_expression_cfa(m, row, &words, f, cfa);

	(void)ctx;
	stepping.expressions += is_found;
	return is_found;
}

static uint32_t walk_by_rows(const ucontext_t *at, uint64_t *pcs)
{
	static const uint8_t order[REGS_DWARF_COUNT] = {
		REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
		REG_R8,	 REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
	const struct unwind_source source = {
		.word = read_word, .row = find_row, .expression = find_cfa};
	struct unwind_regs regs = {.pc = (uint64_t)at->uc_mcontext.gregs[REG_RIP]};

	for (int i = 0; i < REGS_DWARF_COUNT; i++)
		regs.reg[i] = (uint64_t)at->uc_mcontext.gregs[order[i]];
	return unwind_walk(&source, &regs, pcs, FRAMES);
}

static uint32_t walk_by_library(ucontext_t *at, uint64_t *pcs)
{
	unw_cursor_t cursor;
	uint32_t n = 0;

	if (unw_init_local2(&cursor, at, UNW_INIT_SIGNAL_FRAME) < 0)
		return 0;
	do {
		unw_word_t pc;

		unw_get_reg(&cursor, UNW_REG_IP, &pc);
		if (!pc)
			break;
		pcs[n++] = pc;
	} while (n < FRAMES && unw_step(&cursor) > 0);
	return n;
}

static void show(const char *who, const uint64_t *pcs, uint32_t n)
{
	print_error("%s:", who);
	for (uint32_t i = 0; i < n; i++) {
		const struct module *m = modules_at(stepping.modules, taddr_of(pcs[i]));

		print_error(" %s+%#llx", m ? m->name : "?",
			    (unsigned long long)(m ? pcs[i] - m->bias : pcs[i]));
	}
	print_error("\n");
}

/* Where rows cannot say what the tables do, as in the end of longjmp(). */
static bool is_stop(uint64_t pc, bool is_exact)
{
	const struct cfi_row *row = cfi_find(&stepping.list, pc - !is_exact);

	return row && row->form == CFI_ROW_STOP;
}

static void on_trap(int sig, siginfo_t *info, void *context)
{
	uint64_t ours[FRAMES], theirs[FRAMES];
	ucontext_t *at = context;
	uint32_t n, k;

	(void)sig;
	(void)info;
	if (!stepping.is_on || stepping.steps >= STEPS_MAX) {
		at->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
		return;
	}
	n = walk_by_rows(at, ours);
	k = walk_by_library(at, theirs);
	stepping.steps++;
	stepping.frames += n;
	if (n < k && is_stop(ours[n - 1], n == 1))
		stepping.given_up++;
	else if ((n != k || memcmp(ours, theirs, n * sizeof(*ours))) &&
		 stepping.wrong++ < WRONG_MAX) {
		show("rows", ours, n);
		show("libunwind", theirs, k);
	}
}

static __attribute__((noinline)) void set_trap_flag(uint64_t flag)
{
	__asm__ volatile("sub $128, %%rsp\n\tpushfq\n\tandq $~0x100, (%%rsp)\n\t"
			 "orq %0, (%%rsp)\n\tpopfq\n\tadd $128, %%rsp" ::"r"(flag)
			 : "memory", "cc");
}

static void begin_steps(void)
{
	struct sigaction on = {.sa_sigaction = on_trap,
			       .sa_flags = SA_SIGINFO | SA_ONSTACK};
	static char room[1 << 18];
	const stack_t alternate = {.ss_sp = room, .ss_size = sizeof(room)};
	struct err e;

	assert_int_equal(modules_read(getpid(), &stepping.modules, &e), 0);
	assert_in_range(stepping.modules->len, 4, ARRAY_LEN(stepping.module));
	for (size_t i = 0; i < stepping.modules->len; i++) {
		const struct module *m = stepping.modules->data[i];
		struct module_cfi_rows rows;

		assert_int_equal(module_read_cfi_rows(m, &rows, &e), 0);
		stepping.module[i] = (struct cfi_module){
			m->lo.v, m->hi.v, (uintptr_t)rows.data, rows.len};
	}
	stepping.list =
		(struct cfi_modules){stepping.module, (uint32_t)stepping.modules->len};
	stepping.steps = stepping.wrong = stepping.frames = stepping.given_up = 0;
	stepping.expressions = 0;
	sigaltstack(&alternate, NULL);
	sigaction(SIGTRAP, &on, NULL);
}

static void end_steps(void)
{
	signal(SIGTRAP, SIG_DFL);
	print_message("%zu instructions, %zu frames\n", stepping.steps,
		      stepping.frames);
	assert_true(stepping.steps > 100);
	assert_true(stepping.given_up * 100 < stepping.steps);
	assert_int_equal(stepping.wrong, 0);
	for (size_t i = 0; i < stepping.modules->len; i++)
		free((void *)(uintptr_t)stepping.module[i].rows);
	modules_free(stepping.modules);
}

static int compare_ints(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void on_user_signal(int sig)
{
	char text[64];

	if (stepping.is_on)
		set_trap_flag(TRAP_FLAG);
	snprintf(text, sizeof(text), "%d %s", sig, strsignal(sig));
}

static void call_library(void)
{
	char text[200];
	int v[20] = {3, 1, 2};
	regex_t r;
	char *p;

	snprintf(text, sizeof(text), "%s %d %.3f %p", "text", 42, 1.5, (void *)v);
	qsort(v, ARRAY_LEN(v), sizeof(v[0]), compare_ints);
	p = malloc(100);
	p = realloc(p, 5000);
	memset(p, 1, 5000);
	free(p);
	if (strtod("1.25e3", NULL) != 1250 || !getenv("PATH"))
		abort();
	if (regcomp(&r, "a*(b|c)d", REG_EXTENDED) == 0) {
		regexec(&r, "aacd", 0, NULL, 0);
		regfree(&r);
	}
}

static void jump_away(void)
{
	jmp_buf back;

	if (!setjmp(back))
		longjmp(back, 1);
}

static void look_up(void)
{
	/* never called before: bound by the loader, now */
	if (dlsym(RTLD_DEFAULT, "no such symbol") || getppid() < 0)
		abort();
}

static void interrupt(void)
{
	raise(SIGUSR1);
}

static void step_through(void (*f)(void))
{
	begin_steps();
	signal(SIGUSR1, on_user_signal);
	stepping.is_on = 1;
	set_trap_flag(TRAP_FLAG);
	f();
	stepping.is_on = 0; /* the next trap ends them: the function below has no CFI */
	set_trap_flag(0);
	end_steps();
}

static void test_steps_library(void **state)
{
	(void)state;
	step_through(call_library);
}

static void test_steps_jump(void **state)
{
	(void)state;
	step_through(jump_away);
}

static void test_steps_loader(void **state)
{
	(void)state;
	step_through(look_up);
}

static void test_steps_signal(void **state)
{
	(void)state;
	step_through(interrupt);
}

static void format_number(void)
{
	char text[32];

	snprintf(text, sizeof(text), "%d", 42);
}

/* A frame that only an expression finds, amid others. */
static void test_expression(void **state)
{
	(void)state;
	begin_steps();
	stepping.is_on = 1;
	set_trap_flag(TRAP_FLAG);
	by_expression(format_number);
	stepping.is_on = 0; /* the next trap ends them: the function below has no CFI */
	set_trap_flag(0);
	assert_true(stepping.expressions > 100);
	assert_int_equal(stepping.given_up, 0);
	end_steps();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_row),
		cmocka_unit_test(test_rare_forms),
		cmocka_unit_test(test_expression),
		cmocka_unit_test(test_damaged_tables),
		cmocka_unit_test(test_steps_library),
		cmocka_unit_test(test_steps_jump),
		cmocka_unit_test(test_steps_loader),
		cmocka_unit_test(test_steps_signal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

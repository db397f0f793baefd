/* SPDX-License-Identifier: MIT */
/*
 * Executes the call frame instructions of each FDE. They describe a table with a line
 * for each address and a column for each register. Of that only what a stack walk needs
 * is kept: the CFA, the return address and the followed registers (cfi_machine.h).
 * An expression for the CFA that no row can say is kept as it is, behind the rows. What
 * else a row cannot express becomes a row that ends walks, never a wrong one.
 */
#include "symbols/dwarf/cfi_rows.h"

#include <stdlib.h>
#include <string.h>

#include "symbols/dwarf/cfi_go.h"
#include "symbols/dwarf/cfi_machine.h"
#include "symbols/dwarf/eh_frame.h"
#include "symbols/elf/startup.h"
#include "vm/base/host/vec.h"

#define REMEMBER_MAX 16
#define PIECES_MAX   4096 /* of the expressions of a module */
#define PIECES_BACK  64	  /* of the last ones that are looked through for the same */

/* Call frame instructions (DWARF 5, 6.4.2). The first three hold an operand. */
enum cfa_op {
	CFA_ADVANCE = 0x40,
	CFA_OFFSET = 0x80,
	CFA_RESTORE = 0xc0,
	CFA_NOP = 0x00,
	CFA_SET_LOC = 0x01,
	CFA_ADVANCE1 = 0x02,
	CFA_ADVANCE2 = 0x03,
	CFA_ADVANCE4 = 0x04,
	CFA_OFFSET_EXTENDED = 0x05,
	CFA_RESTORE_EXTENDED = 0x06,
	CFA_UNDEFINED = 0x07,
	CFA_SAME_VALUE = 0x08,
	CFA_REGISTER = 0x09,
	CFA_REMEMBER = 0x0a,
	CFA_RECALL = 0x0b,
	CFA_DEF_CFA = 0x0c,
	CFA_DEF_CFA_REGISTER = 0x0d,
	CFA_DEF_CFA_OFFSET = 0x0e,
	CFA_DEF_CFA_EXPRESSION = 0x0f,
	CFA_EXPRESSION = 0x10,
	CFA_OFFSET_EXTENDED_SF = 0x11,
	CFA_DEF_CFA_SF = 0x12,
	CFA_DEF_CFA_OFFSET_SF = 0x13,
	CFA_VAL_OFFSET = 0x14,
	CFA_VAL_OFFSET_SF = 0x15,
	CFA_VAL_EXPRESSION = 0x16,
	CFA_GNU_ARGS_SIZE = 0x2e,
	CFA_GNU_NEGATIVE_OFFSET = 0x2f,
};

/* The execution of one FDE. */
struct run {
	enum cfi_go_frame go;
	bool has_frame; /* of Go: it has been built once */
	const struct fde_rules *entry;
	struct encoded c;
	uint64_t loc;
	struct cfi_line line, initial;
	struct cfi_line remembered[REMEMBER_MAX];
	unsigned nremembered;
	struct compilation *to;
};

struct compilation {
	struct module_cfi_rows *rows;
	uint64_t base;	   /* pcs of rows are offsets from it ... */
	uint64_t size;	   /* ... and are less than this */
	uint64_t work;	   /* bytes of instructions since the last look for an end */
	uint64_t work_max; /* bytes of instructions that may still be executed */
	struct budget *budget;
	size_t nfirst; /* rows of the table before, which are sorted */
	const struct elf_file *file;
	struct go_code go;
	bool is_full;
	struct {
		struct cfi_piece *data; /* vec */
		size_t len, cap;
	} pieces;
};

/* Room is taken for so many rows at once, and for their copy while the list grows. */
#define ROWS_STEP 1024
/* A file's common instructions are executed for each function. */
#define WORK_FACTOR 64
#define WORK_STEP   (1 << 20)

static void add_row(struct compilation *to, uint64_t loc, struct cfi_row row)
{
	uint64_t pc = loc - to->base;

	if (loc < to->base || pc > UINT32_MAX || pc > to->size || to->is_full)
		return;
	if (to->rows->len % ROWS_STEP == 0)
		to->is_full = !budget_take(to->budget, 2 * ROWS_STEP * sizeof(row),
					   "a part of its unwind table");
	if (to->is_full)
		return;
	row.pc = (uint32_t)pc;
	*vec_push(to->rows) = row;
}

/* A block: its length (ULEB128), then its bytes. */
static bool read_block(struct run *r, struct encoded *out)
{
	uint64_t n;

	if (!encoded_uleb(&r->c, &n) || n > (uint64_t)(r->c.end - r->c.p))
		return false;
	*out = r->c;
	out->end = r->c.p + n;
	encoded_skip(&r->c, n);
	return true;
}

/* ---- instructions ---- */

static enum cfi_column column_of(const struct run *r, uint64_t reg)
{
	return reg == r->entry->ra ? CFI_RA : cfi_column_of(reg);
}

static bool set_rule(struct run *r, uint64_t reg, struct cfi_rule p)
{
	enum cfi_column column = column_of(r, reg);

	if (column != CFI_COLUMNS)
		r->line.column[column] = p;
	return true;
}

static bool restore_rule(struct run *r, uint64_t reg)
{
	enum cfi_column column = column_of(r, reg);

	if (column != CFI_COLUMNS)
		r->line.column[column] = r->initial.column[column];
	return true;
}

static int64_t scaled(const struct run *r, uint64_t n)
{
	return (int64_t)(n * (uint64_t)r->entry->data_align);
}

static struct cfi_rule at_cfa(const struct run *r, uint64_t n)
{
	return (struct cfi_rule){.kind = RULE_AT_CFA, .value = scaled(r, n)};
}

/* The row of the addresses from r->loc to the given one. */
static void end_row(struct run *r, uint64_t to)
{
	struct cfi_row row = cfi_row(&r->line, r->entry->is_signal), before;
	uint64_t n = cfi_go_set_fp(r->go, !r->has_frame, &row);

	r->has_frame = r->has_frame || row.fp != CFI_SAME;
	before = row;
	before.fp = CFI_SAME;
	if (n)
		add_row(r->to, r->loc, before);
	if (n < to - r->loc)
		add_row(r->to, r->loc + n, row);
}

static bool advance(struct run *r, uint64_t to)
{
	if (to < r->loc || to >= r->entry->code.hi)
		return false;
	if (to > r->loc)
		end_row(r, to);
	r->loc = to;
	return true;
}

static bool advance_by(struct run *r, uint64_t delta)
{
	uint64_t n;

	return !__builtin_mul_overflow(delta, r->entry->code_align, &n) &&
	       n < r->entry->code.hi - r->loc && advance(r, r->loc + n);
}

static bool run_advance(struct run *r, uint8_t op)
{
	static const uint8_t formats[] = {ENCODED_UDATA2, ENCODED_UDATA4};
	uint64_t n;

	if (op == CFA_SET_LOC)
		return encoded_address(&r->c, r->entry->encoding, &n) && advance(r, n);
	if (op != CFA_ADVANCE1)
		return encoded_value(&r->c, formats[op - CFA_ADVANCE2], &n) &&
		       advance_by(r, n);
	if (r->c.p >= r->c.end)
		return false;
	n = *r->c.p;
	encoded_skip(&r->c, 1);
	return advance_by(r, n);
}

/* Where the same pieces are already, of the last ones; or where the next would be. */
static size_t find_pieces(const struct compilation *to, const struct cfi_piece *all,
			  size_t n)
{
	size_t len = to->pieces.len, first = len > PIECES_BACK ? len - PIECES_BACK : 0;

	for (size_t i = first; i + n <= len; i++)
		if (memcmp(&to->pieces.data[i], all, n * sizeof(*all)) == 0)
			return i;
	return len;
}

/* An expression that no row can say is evaluated when its frame is met. */
static void keep_expression(struct compilation *to, struct encoded block,
			    struct cfi_cfa *cfa)
{
	struct cfi_piece all[CFI_EXPRESSION_MAX / CFI_PIECE] = {{0}};
	size_t bytes = (size_t)(block.end - block.p), at;
	size_t n = (bytes + CFI_PIECE - 1) / CFI_PIECE;

	if (!bytes || bytes > CFI_EXPRESSION_MAX || to->pieces.len + n > PIECES_MAX)
		return;
	for (size_t i = 0; i < bytes; i++)
		all[i / CFI_PIECE].bytes[i % CFI_PIECE] = block.p[i];
	at = find_pieces(to, all, n);
	for (size_t i = 0; at == to->pieces.len - i && i < n; i++)
		*vec_push(&to->pieces) = all[i];
	*cfa = (struct cfi_cfa){.form = CFI_ROW_EXPRESSION,
				.reg = cfi_stack_pointer,
				.value = (int64_t)at,
				.after = (int64_t)bytes};
}

/* Behind the rows, which then say where the pieces are. */
static void append_pieces(struct compilation *to)
{
	struct module_cfi_rows *rows = to->rows;
	size_t nrows = rows->len, n = to->pieces.len;
	struct cfi_row row;

	for (size_t i = 0; i < nrows; i++)
		if (rows->data[i].form == CFI_ROW_EXPRESSION)
			rows->data[i].cfa += (int32_t)nrows;
	for (size_t i = 0; i < n; i++) {
		to->pieces.data[i].pc = UINT32_MAX - (uint32_t)(n - 1 - i);
		memcpy(&row, &to->pieces.data[i], sizeof(row));
		*vec_push(rows) = row;
	}
	vec_release(&to->pieces);
}

static bool define_cfa(struct run *r, uint8_t op)
{
	struct cfi_cfa *cfa = &r->line.cfa;
	struct encoded block;
	uint64_t n = 0;

	if (op == CFA_DEF_CFA_EXPRESSION) {
		if (!read_block(r, &block))
			return false;
		*cfa = cfi_cfa_of_expression(block);
		if (cfa->form == CFI_ROW_NONE)
			keep_expression(r->to, block, cfa);
		return true;
	}
	if (op == CFA_DEF_CFA || op == CFA_DEF_CFA_SF || op == CFA_DEF_CFA_REGISTER) {
		if (!encoded_uleb(&r->c, &cfa->reg))
			return false;
	}
	cfa->form = cfi_is_register(cfa->reg) ? CFI_ROW_PLAIN : CFI_ROW_NONE;
	cfa->after = 0;
	if (op == CFA_DEF_CFA || op == CFA_DEF_CFA_OFFSET) {
		if (!encoded_uleb(&r->c, &n))
			return false;
		cfa->value = (int64_t)n;
	} else if (op == CFA_DEF_CFA_SF || op == CFA_DEF_CFA_OFFSET_SF) {
		if (!encoded_sleb(&r->c, &cfa->value))
			return false;
		cfa->value = scaled(r, (uint64_t)cfa->value);
	}
	return true;
}

/* The instructions whose first operand is a register. */
static bool run_register(struct run *r, uint8_t op)
{
	struct cfi_rule unknown = {.kind = RULE_UNKNOWN};
	struct encoded block;
	uint64_t reg, n;
	int64_t offset;

	if (!encoded_uleb(&r->c, &reg))
		return false;
	switch (op) {
	case CFA_OFFSET_EXTENDED:
		return encoded_uleb(&r->c, &n) && set_rule(r, reg, at_cfa(r, n));
	case CFA_GNU_NEGATIVE_OFFSET:
		return encoded_uleb(&r->c, &n) && set_rule(r, reg, at_cfa(r, 0 - n));
	case CFA_OFFSET_EXTENDED_SF:
		return encoded_sleb(&r->c, &offset) &&
		       set_rule(r, reg, at_cfa(r, (uint64_t)offset));
	case CFA_RESTORE_EXTENDED:
		return restore_rule(r, reg);
	case CFA_UNDEFINED:
		return set_rule(r, reg, (struct cfi_rule){.kind = RULE_UNDEFINED});
	case CFA_SAME_VALUE:
		return set_rule(r, reg, (struct cfi_rule){.kind = RULE_SAME});
	case CFA_REGISTER:
		return encoded_uleb(&r->c, &n) &&
		       set_rule(r, reg, (struct cfi_rule){RULE_IN_REGISTER, n, 0});
	case CFA_EXPRESSION:
		return read_block(r, &block) &&
		       set_rule(r, reg, cfi_rule_of_expression(block));
	case CFA_VAL_EXPRESSION:
		return read_block(r, &block) && set_rule(r, reg, unknown);
	default: /* CFA_VAL_OFFSET, CFA_VAL_OFFSET_SF */
		return encoded_uleb(&r->c, &n) && set_rule(r, reg, unknown);
	}
}

static bool remember(struct run *r)
{
	if (r->nremembered == REMEMBER_MAX)
		return false;
	r->remembered[r->nremembered++] = r->line;
	return true;
}

static bool recall(struct run *r)
{
	if (!r->nremembered)
		return false;
	r->line = r->remembered[--r->nremembered];
	return true;
}

static bool run_other(struct run *r, uint8_t op)
{
	uint64_t ignored;

	switch (op) {
	case CFA_NOP:
		return true;
	case CFA_SET_LOC:
	case CFA_ADVANCE1:
	case CFA_ADVANCE2:
	case CFA_ADVANCE4:
		return run_advance(r, op);
	case CFA_REMEMBER:
		return remember(r);
	case CFA_RECALL:
		return recall(r);
	case CFA_DEF_CFA:
	case CFA_DEF_CFA_SF:
	case CFA_DEF_CFA_REGISTER:
	case CFA_DEF_CFA_OFFSET:
	case CFA_DEF_CFA_OFFSET_SF:
	case CFA_DEF_CFA_EXPRESSION:
		return define_cfa(r, op);
	case CFA_GNU_ARGS_SIZE:
		return encoded_uleb(&r->c, &ignored);
	default:
		return ((op >= CFA_OFFSET_EXTENDED && op <= CFA_REGISTER) ||
			(op >= CFA_EXPRESSION && op <= CFA_VAL_EXPRESSION) ||
			op == CFA_GNU_NEGATIVE_OFFSET) &&
		       run_register(r, op);
	}
}

/* Executes all instructions; false at an invalid one. */
static bool run_all(struct run *r)
{
	while (r->c.p < r->c.end) {
		uint8_t op = *r->c.p, low = op & 0x3f;
		bool is_good;
		uint64_t n;

		encoded_skip(&r->c, 1);
		switch (op & 0xc0) {
		case CFA_ADVANCE:
			is_good = advance_by(r, low);
			break;
		case CFA_OFFSET:
			is_good = encoded_uleb(&r->c, &n) &&
				  set_rule(r, low, at_cfa(r, n));
			break;
		case CFA_RESTORE:
			is_good = restore_rule(r, low);
			break;
		default:
			is_good = run_other(r, op);
		}
		if (!is_good)
			return false;
	}
	return true;
}

/* Whether the first n rows, which are sorted, know the address. */
static bool has_row(const struct compilation *to, size_t n, uint64_t value)
{
	const struct cfi_module m = {
		.hi = UINT64_MAX, .rows = (uintptr_t)to->rows->data, .nrows = n};
	const struct cfi_modules list = {&m, 1};
	const struct cfi_row *row = cfi_find(&list, value - to->base);

	return row && row->form != CFI_ROW_NONE;
}

/* The first table has precedence. */
static bool is_known(const struct compilation *to, const struct elf_range *code)
{
	return has_row(to, to->nfirst, max_u64(code->lo, to->base)) ||
	       has_row(to, to->nfirst, code->hi - 1);
}

/* Whether to execute the entry; sets is_full if no further one is to be. */
static bool is_worth(struct compilation *to, const struct fde_rules *e)
{
	uint64_t n =
		(uint64_t)(e->common_end - e->common) + (uint64_t)(e->end - e->first);

	to->work += n;
	if (n > to->work_max || (to->work > WORK_STEP && budget_is_over()))
		to->is_full = true;
	if (to->work > WORK_STEP)
		to->work = 0;
	to->work_max -= min_u64(n, to->work_max);
	return !to->is_full && e->code.hi > to->base &&
	       (e->code.lo < to->base || e->code.lo - to->base <= to->size) &&
	       !is_known(to, &e->code);
}

/* Executes the instructions of the entry and adds a row for each of its lines. */
static void run_entry(struct compilation *to, const struct fde_rules *e,
		      enum cfi_go_frame go)
{
	const struct cfi_row none = {.form = CFI_ROW_NONE};
	struct run r;

	r.entry = e;
	r.to = to;
	r.go = go;
	r.has_frame = false;
	r.loc = e->code.lo;
	r.nremembered = 0;
	memset(&r.line, 0, sizeof(r.line));
	r.c = (struct encoded){e->common, e->common_end, 0, 0};
	if (!run_all(&r))
		return;
	r.loc = e->code.lo;
	r.initial = r.line;
	r.c = (struct encoded){e->first, e->end, e->vaddr, 0};
	if (run_all(&r))
		end_row(&r, e->code.hi);
	else
		add_row(r.to, r.loc, none);
	add_row(r.to, e->code.hi, none);
}

static void compile_entry(void *ctx, const struct fde_rules *e)
{
	const struct cfi_row none = {.form = CFI_ROW_NONE};
	/* after the handler's return the stack pointer points to the ucontext */
	const struct cfi_row signal = {.form = CFI_ROW_SIGNAL, .reg = REGS_DWARF_SP};
	struct compilation *to = ctx;
	enum cfi_go_frame go;

	if (to->is_full || !is_worth(to, e))
		return;
	go = cfi_go_frame(to->file, &to->go, e->code.lo);
	if (go == CFI_GO_UNKNOWN)
		return;
	if (go != CFI_GO_SIGNAL_RETURN) {
		run_entry(to, e, go);
		return;
	}
	/* the handler seems to have been called by an instruction before */
	add_row(to, e->code.lo - 1, signal);
	add_row(to, e->code.hi, none);
}

/* ---- the module ---- */

/* Of rows at one address the last wins: CFI_ROW_NONE goes first. */
static int compare_rows(const void *a, const void *b)
{
	const struct cfi_row *x = a, *y = b;

	if (x->pc != y->pc)
		return x->pc < y->pc ? -1 : 1;
	return (x->form != CFI_ROW_NONE) - (y->form != CFI_ROW_NONE);
}

static bool has_same_content(const struct cfi_row *a, const struct cfi_row *b)
{
	struct cfi_row x = *a;

	x.pc = b->pc;
	return memcmp(&x, b, sizeof(x)) == 0;
}

static void sort_rows(struct module_cfi_rows *rows)
{
	size_t n = 0;

	if (rows->len)
		qsort(rows->data, rows->len, sizeof(*rows->data), compare_rows);
	for (size_t i = 0; i < rows->len; i++) {
		const struct cfi_row row = rows->data[i];

		if (i + 1 < rows->len && rows->data[i + 1].pc == row.pc)
			continue;
		if (!n || !has_same_content(&rows->data[n - 1], &row))
			rows->data[n++] = row;
	}
	rows->len = n;
}

/* Adds rows for code that has none but is known to end stacks. */
static bool add_startup(const struct elf_file *f, struct compilation *to)
{
	const struct cfi_row first = {.form = CFI_ROW_FIRST};
	const struct cfi_row none = {.form = CFI_ROW_NONE};
	struct elf_range ranges[STARTUP_MAX];
	uint64_t entry = f->header.e_entry;
	size_t n = entry && !has_row(to, to->rows->len, entry) ? startup_find(f, ranges)
							       : 0;
	bool is_any = false;

	for (size_t i = 0; i < n; i++) {
		if (has_row(to, to->rows->len, ranges[i].lo) ||
		    has_row(to, to->rows->len, ranges[i].hi - 1))
			continue;
		add_row(to, ranges[i].lo, first);
		add_row(to, ranges[i].hi, none);
		is_any = true;
	}
	return is_any;
}

void cfi_rows_read(const struct elf_file *f, uint64_t base, uint64_t size,
		   struct module_cfi_rows *out)
{
	struct compilation to = {.rows = out,
				 .base = base,
				 .size = size,
				 .work_max = WORK_FACTOR * f->budget->max,
				 .budget = f->budget,
				 .file = f};

	*out = (struct module_cfi_rows){0};
	gotable_read_code(f, &to.go);
	eh_frame_rules(f, FRAME_TABLE_EH, compile_entry, &to);
	sort_rows(out);
	to.nfirst = out->len;
	eh_frame_rules(f, FRAME_TABLE_DEBUG, compile_entry, &to);
	sort_rows(out);
	if (add_startup(f, &to))
		sort_rows(out);
	append_pieces(&to);
	vec_release(&to.go.assembly);
}

/* SPDX-License-Identifier: MIT */
/*
 * The code of a predicate is followed on all its ways, without an event: registers hold
 * what is known of their value, such as "the field prev_pid" or "next_prio < 120". A way
 * that ends in the clause gives a term of the filter: the tests that it has passed. What
 * is not understood is not tested.
 *
 * A way ends in the clause, too, where an instruction could fault or change something.
 */
#include "tracer/events/predicate.h"
#include "vm/isa.h"

#include <string.h>

#define STEPS_MAX 20000 /* on all ways */
#define DEPTH_MAX 64	/* branches of one way */
#define TEXTS_MAX 16384 /* bytes that a firing has for texts, at least */

enum value_kind {
	VALUE_UNKNOWN,
	VALUE_CONSTANT, /* number */
	VALUE_FIELD,	/* an integer of the event */
	VALUE_BITS,	/* field & number */
	VALUE_TRUTH,	/* 1 if the test is true, else 0 */
	VALUE_RECORD,	/* the address of byte number of the struct of args[0] */
	VALUE_TEXT,	/* the address of a string: that of the field or of COMM */
	VALUE_STRING,	/* of a string of the image */
	VALUE_FOUND,	/* of what strstr() has found of test; else NULL */
	VALUE_ORDER,	/* 0 if the test is true, else another number */
};

/* What stands between a field and its value in D. */
enum field_view {
	FIELD_ITSELF,
	FIELD_RESULT, /* a failure is -1 */
	FIELD_ERRNO,  /* the number of the failure, or 0 */
	FIELD_THREAD, /* a thread that may have ended: then -1 */
	FIELD_PROCESS /* the process of that thread */
};

struct value {
	enum value_kind kind;
	const struct event_field *field; /* NULL in VALUE_TEXT: COMM */
	enum field_view view;
	bool is_signed; /* how D sees the bytes of a field */
	uint64_t number;
	const char *text;
	/* VALUE_TRUTH, VALUE_FOUND, VALUE_ORDER: */
	struct filter_test test;
	bool tells_true;  /* the test is true whenever the value says so */
	bool tells_false; /* it is false whenever the value says so */
};

struct walk {
	const struct predicate *of;
	const insn_t *code;
	uint32_t body; /* the first instruction after the predicate */
	struct filter *out;
	uint32_t steps;
	bool gave_up;
};

/* One way through the code, so far. */
struct way {
	struct value regs[ISA_REGS];
	struct filter_term term;
	uint32_t pc, depth, ntexts;
};

static struct value constant(uint64_t number)
{
	return (struct value){.kind = VALUE_CONSTANT, .number = number};
}

static struct value unknown(void)
{
	return (struct value){.kind = VALUE_UNKNOWN};
}

static bool is_number(const struct value *v, uint64_t number)
{
	return v->kind == VALUE_CONSTANT && v->number == number;
}

/* ---- fields ---- */

/* The kernel compares it as a number, and D sees all of it. */
static bool is_plain(const struct event_field *f)
{
	return !f->is_array && !f->is_dynamic && !f->is_text && f->size == f->element &&
	       !(f->is_pointer && strstr(f->type, "char"));
}

static struct value of_field(const struct event_field *f, enum field_view view,
			     bool is_signed)
{
	if (!f || !is_plain(f))
		return unknown();
	return (struct value){
		.kind = VALUE_FIELD, .field = f, .view = view, .is_signed = is_signed};
}

/* The text of this name: the kernel knows it as a text, too. */
static struct value of_text(const struct event_field *f)
{
	if (!f || !f->is_text || !strstr(f->type, "char"))
		return unknown();
	return (struct value){.kind = VALUE_TEXT, .field = f};
}

/* The field at an offset of the struct of args[0]; NULL: another place. */
static const struct event_field *field_at(const struct walk *w, uint64_t offset)
{
	const struct event_format *format = w->of->probe->format;

	for (size_t i = 0; i < format->fields.len; i++)
		if (format->fields.data[i].to == offset)
			return &format->fields.data[i];
	return NULL;
}

/* ---- numbers ---- */

static uint64_t low_bytes(uint64_t number, uint32_t size, bool is_signed)
{
	unsigned unused = 64 - 8 * size;

	return is_signed ? (uint64_t)((int64_t)(number << unused) >> unused)
			 : number << unused >> unused;
}

static struct value truth(const struct event_field *f, enum filter_op op,
			  uint64_t number)
{
	return (struct value){
		.kind = VALUE_TRUTH,
		.test = {.field = f->name,
			 .op = op,
			 .is_signed = f->is_signed,
			 .value = low_bytes(number, f->size, f->is_signed)},
		.tells_true = true,
		.tells_false = true,
	};
}

static struct value negated(struct value v)
{
	bool tells_true = v.tells_true;

	v.test.is_not = !v.test.is_not;
	v.tells_true = v.tells_false;
	v.tells_false = tells_true;
	return v;
}

/* The result of a call: what is above -1 is as it is. */
static struct value compare_result(const struct value *v, enum filter_op op, int64_t n)
{
	struct value t;

	if (!v->field->is_signed || v->field->size != 8)
		return unknown();
	if (op == FILTER_LE && n == -1) {
		op = FILTER_LT;
		n = 0;
	}
	if (op == FILTER_EQ && n == -1) {
		t = truth(v->field, FILTER_LT, 0);
		t.tells_false = false;
		return t;
	}
	return n >= 0 ? truth(v->field, op, (uint64_t)n) : unknown();
}

static struct value compare_errno(const struct value *v, enum filter_op op, int64_t n)
{
	struct value t;

	if (op != FILTER_EQ || n < 0 || n > 4095 || !v->field->is_signed)
		return unknown();
	if (n > 0)
		return truth(v->field, FILTER_EQ, (uint64_t)-n);
	t = negated(truth(v->field, FILTER_LT, 0)); /* it has not failed: not below 0 */
	t.tells_true = false;
	return t;
}

/* An id of the thread in which the event happens; of one that has ended it is -1. */
static struct value compare_thread(const struct value *v, enum filter_op op, int64_t n)
{
	struct value t;

	if (op != FILTER_EQ || n < 0 || n > INT32_MAX ||
	    (v->view == FIELD_PROCESS && n != 0))
		return unknown();
	t = truth(v->field, FILTER_EQ, (uint64_t)n);
	t.tells_false = n == 0;
	return t;
}

/* Whether D's value of the field, v, can be n, which is compared as is_signed says. */
static bool is_in_range(const struct value *v, bool is_signed, uint64_t n)
{
	if (v->field->size == 8)
		return true;
	if (v->is_signed && !is_signed)
		return false;
	return low_bytes(n, v->field->size, v->is_signed) == n;
}

/* v op n; of 8 bytes is_signed says how. */
static struct value compare(const struct value *v, enum filter_op op, uint64_t n,
			    bool is_signed)
{
	bool seen_signed = v->field->size == 8 ? is_signed : v->is_signed;

	switch (v->view) {
	case FIELD_RESULT:
		return is_signed ? compare_result(v, op, (int64_t)n) : unknown();
	case FIELD_ERRNO:
		return compare_errno(v, op, (int64_t)n);
	case FIELD_THREAD:
	case FIELD_PROCESS:
		return compare_thread(v, op, (int64_t)n);
	case FIELD_ITSELF:
		break;
	}
	if (op == FILTER_EQ)
		return is_in_range(v, true, n) ? truth(v->field, op, n) : unknown();
	if (!is_in_range(v, is_signed, n) || seen_signed != v->field->is_signed)
		return unknown();
	return truth(v->field, op, n);
}

/* Whether any of the bits of v is set; if all is asked for, all. */
static struct value compare_bits(const struct value *v, uint64_t n)
{
	bool is_one = (v->number & (v->number - 1)) == 0;

	if (n == 0)
		return negated(truth(v->field, FILTER_BITS, v->number));
	if (n == v->number && is_one)
		return truth(v->field, FILTER_BITS, v->number);
	return unknown();
}

/* v == n */
static struct value equals(const struct value *v, uint64_t n)
{
	switch (v->kind) {
	case VALUE_CONSTANT:
		return constant(v->number == n);
	case VALUE_FIELD:
		return compare(v, FILTER_EQ, n, true);
	case VALUE_BITS:
		return compare_bits(v, n);
	case VALUE_TRUTH:
	case VALUE_ORDER:
		if (n == 0)
			return v->kind == VALUE_ORDER
				       ? (struct value){.kind = VALUE_TRUTH,
							.test = v->test,
							.tells_true = v->tells_true,
							.tells_false = v->tells_false}
				       : negated(*v);
		return v->kind == VALUE_TRUTH && n == 1 ? *v : unknown();
	default:
		return unknown();
	}
}

static struct value logical_not(const struct value *v)
{
	return equals(v, 0);
}

static struct value not_equals(const struct value *v, uint64_t n)
{
	struct value t = equals(v, n);

	return logical_not(&t);
}

/* ---- texts ---- */

/* The name that a thread has, or had, is known to the kernel by another one. */
static bool is_renamed(const char *name)
{
	return strncmp(name, "kworker", 7) == 0 || strncmp(name, "swapper", 7) == 0;
}

/*
 * The text of a thread's name, and of a field whose end the kernel may not see, tells
 * only if it is the same.
 */
static struct value compare_text(const struct walk *w, const struct value *v,
				 const char *text)
{
	const struct event_field *f = v->field;
	size_t n = strlen(text), room = f ? f->size : THREAD_NAME_MAX;
	uint32_t strsize = program_header(w->of->image)->strsize;
	bool is_static = f && !f->is_dynamic;

	if (!filter_can_quote(text) || n + 1 >= strsize || (!f && is_renamed(text)) ||
	    ((!f || is_static) && n >= room))
		return unknown();
	return (struct value){
		.kind = VALUE_ORDER,
		.test = {.field = f ? f->name : "COMM",
			 .op = FILTER_TEXT,
			 .text = text},
		.tells_true = true,
		.tells_false = is_static,
	};
}

/* The name of a kworker goes on, after '-' or '+', by 3 characters at most. */
static bool is_safe_part(const char *text)
{
	return strlen(text) >= 4 && !strpbrk(text, "-+") && !is_renamed(text);
}

static struct value find_text(const struct walk *w, const struct value *v,
			      const char *text)
{
	const struct event_field *f = v->field;
	uint32_t strsize = program_header(w->of->image)->strsize;

	if (!filter_can_quote(text) || (!f && !is_safe_part(text)))
		return unknown();
	return (struct value){
		.kind = VALUE_FOUND,
		.test = {.field = f ? f->name : "COMM",
			 .op = FILTER_PART,
			 .text = text},
		.tells_true = true,
		.tells_false = f && !f->is_dynamic && f->size < strsize,
	};
}

/* strcmp(a, b). What strstr() has found is empty only if it is NULL. */
static struct value order_of(const struct walk *w, const struct value *a,
			     const struct value *b)
{
	struct value v;

	if (a->kind == VALUE_STRING || is_number(a, 0)) {
		const struct value *other = a;

		a = b;
		b = other;
	}
	if (a->kind == VALUE_TEXT && b->kind == VALUE_STRING)
		return compare_text(w, a, b->text);
	if (a->kind != VALUE_FOUND ||
	    !(is_number(b, 0) || (b->kind == VALUE_STRING && !*b->text)))
		return unknown();
	v = negated(*a);
	v.kind = VALUE_ORDER;
	return v;
}

/* A string, or what is compared as an empty one: comparing it cannot fault. */
static bool is_string(const struct value *v)
{
	return v->kind == VALUE_TEXT || v->kind == VALUE_STRING ||
	       v->kind == VALUE_FOUND || is_number(v, 0);
}

/* ---- instructions ---- */

static const struct event_field *common_field(const struct walk *w, const char *name)
{
	return event_format_find(w->of->probe->format, name);
}

/* tid, or the thread of pid. */
static struct value thread_of(const struct walk *w, enum field_view view)
{
	const struct event_field *f = w->of->probe->thread;

	if (!f && w->of->has_kernel_ids)
		f = common_field(w, "common_pid");
	if (f && w->of->probe->thread && view == FIELD_THREAD && f->size == 4)
		return of_field(f, FIELD_ITSELF, false);
	return of_field(f, view, false);
}

static struct value name_of(const struct walk *w)
{
	if (w->of->probe->thread || common_field(w, "COMM"))
		return unknown();
	return (struct value){.kind = VALUE_TEXT};
}

static struct value record_at(uint64_t offset)
{
	return (struct value){.kind = VALUE_RECORD, .number = offset};
}

static struct value argument_of(const struct walk *w, uint32_t index)
{
	const struct event_probe *p = w->of->probe;
	const struct event_field *f = p->args[index];
	bool is_result = f && f == p->result;

	if (!p->view) {
		f = event_format_field(p->format, index);
		return of_field(f, FIELD_ITSELF, f && f->is_signed);
	}
	if (!f || p->view->args[index].as != KERNEL_VALUE)
		return unknown();
	if (f->is_text)
		return record_at(f->to);
	if (p->view->args[index].element)
		return unknown();
	return of_field(f, is_result ? FIELD_RESULT : FIELD_ITSELF, f->is_signed);
}

/* One more text. False: there may be no room for it. */
static bool takes_text(const struct walk *w, struct way *way)
{
	uint64_t room = program_header(w->of->image)->strsize + UINT64_C(16);

	return ++way->ntexts * room <= TEXTS_MAX;
}

/* False: loading it can fail. */
static bool load_builtin(const struct walk *w, struct way *way, uint32_t id,
			 struct value *out)
{
	*out = unknown();
	if (id - BUILTIN_arg0 < PROVIDER_ARGUMENTS_MAX) {
		*out = argument_of(w, id - BUILTIN_arg0);
		return true;
	}
	switch (id) {
	case BUILTIN_event_record:
		*out = record_at(0);
		return true;
	case BUILTIN_errno:
		*out = of_field(w->of->probe->result, FIELD_ERRNO, true);
		return true;
	case BUILTIN_tid:
		*out = thread_of(w, FIELD_THREAD);
		return true;
	case BUILTIN_pid:
		*out = thread_of(w, FIELD_PROCESS);
		return true;
	case BUILTIN_execname:
		*out = name_of(w);
		return takes_text(w, way);
	case BUILTIN_timestamp:
	case BUILTIN_walltimestamp:
	case BUILTIN_ppid:
	case BUILTIN_uid:
	case BUILTIN_gid:
	case BUILTIN_cpu:
	case BUILTIN_id:
	case BUILTIN_epid:
		return true;
	default:
		return false;
	}
}

/* A field that D reads with another size or at another place is not known. */
static struct value load_field(const struct walk *w, insn_t i, const struct value *base)
{
	uint64_t offset = base->number + (uint64_t)(int64_t)isa_imm(i);
	const struct event_field *f = field_at(w, offset);

	if (!f || f->size != (isa_c(i) & 0x7f))
		return unknown();
	return of_field(f, FIELD_ITSELF, isa_c(i) & ISA_SIGNED);
}

/* The bytes that a load reads are those of the struct: it cannot fault. */
static bool is_inside(const struct walk *w, insn_t i, const struct value *base)
{
	uint64_t offset = base->number + (uint64_t)(int64_t)isa_imm(i);

	return base->kind == VALUE_RECORD &&
	       offset + (isa_c(i) & 0x7f) <= w->of->probe->format->size;
}

/* The value seen as the low size bytes of it. */
static struct value resize(const struct value *v, uint32_t size, bool is_signed)
{
	struct value to = *v;

	if (v->kind == VALUE_CONSTANT)
		return constant(low_bytes(v->number, size, is_signed));
	if (v->kind == VALUE_TRUTH)
		return to;
	if (v->kind != VALUE_FIELD || v->view != FIELD_ITSELF)
		return size == 8 ? to : unknown();
	if (v->field->size > size)
		return unknown();
	if (v->field->size == size)
		to.is_signed = is_signed;
	else if (v->is_signed && !is_signed && size != 8)
		return unknown();
	return to;
}

static struct value bits_of(const struct value *a, const struct value *b)
{
	const struct value *field = a->kind == VALUE_FIELD ? a : b;
	const struct value *mask = field == a ? b : a;

	if (field->kind != VALUE_FIELD || mask->kind != VALUE_CONSTANT ||
	    field->view != FIELD_ITSELF || !mask->number ||
	    low_bytes(mask->number, field->field->size, false) != mask->number)
		return unknown();
	return (struct value){
		.kind = VALUE_BITS, .field = field->field, .number = mask->number};
}

/* a < b or a <= b. */
static struct value less(const struct value *a, const struct value *b, bool or_same,
			 bool is_signed)
{
	struct value t;

	if (a->kind == VALUE_FIELD && b->kind == VALUE_CONSTANT)
		return compare(a, or_same ? FILTER_LE : FILTER_LT, b->number,
			       is_signed);
	if (b->kind != VALUE_FIELD || a->kind != VALUE_CONSTANT)
		return unknown();
	t = compare(b, or_same ? FILTER_LT : FILTER_LE, a->number, is_signed);
	return t.kind == VALUE_TRUTH ? negated(t) : t;
}

static struct value same(const struct value *a, const struct value *b, bool is_not)
{
	const struct value *v = b->kind == VALUE_CONSTANT ? a : b;
	const struct value *n = v == a ? b : a;

	if (n->kind != VALUE_CONSTANT)
		return unknown();
	return is_not ? not_equals(v, n->number) : equals(v, n->number);
}

static struct value sum(const struct value *a, const struct value *b)
{
	if (a->kind == VALUE_CONSTANT && b->kind == VALUE_CONSTANT)
		return constant(a->number + b->number);
	if (a->kind == VALUE_RECORD && b->kind == VALUE_CONSTANT)
		return record_at(a->number + b->number);
	return unknown();
}

/* A subroutine that cannot fault on these. */
static bool call(const struct walk *w, struct way *way, insn_t i, struct value *out)
{
	const struct value *args = &way->regs[isa_b(i) % ISA_REGS];
	const struct event_field *f;

	if (!takes_text(w, way) || isa_b(i) + isa_c(i) > ISA_REGS)
		return false;
	if (isa_imm(i) == SUBR_strstr && args[0].kind == VALUE_TEXT &&
	    args[1].kind == VALUE_STRING) {
		*out = find_text(w, &args[0], args[1].text);
		return true;
	}
	if (isa_imm(i) != SUBR_copyinstr || args[0].kind != VALUE_RECORD ||
	    args[0].number >= w->of->probe->format->size)
		return false;
	f = field_at(w, args[0].number);
	*out = of_text(f);
	if (isa_c(i) > 1 &&
	    !(args[1].kind == VALUE_CONSTANT && f && args[1].number >= f->room))
		*out = unknown();
	return f && f->is_text;
}

static bool is_integer(const struct walk *w, insn_t i)
{
	return program_var(w->of->image, (uint32_t)isa_imm(i))->value.kind == KIND_INT;
}

/* Arithmetic. False: it is none. */
static bool calculate(insn_t i, const struct value *b, const struct value *c,
		      struct value *out)
{
	struct value imm = constant((uint64_t)(int64_t)isa_imm(i));

	*out = unknown();
	switch (isa_op(i)) {
	case OP_ADD:
		*out = sum(b, c);
		return true;
	case OP_ADDI:
		*out = sum(b, &imm);
		return true;
	case OP_AND:
		*out = bits_of(b, c);
		return true;
	case OP_SUB:
	case OP_MUL:
	case OP_OR:
	case OP_XOR:
	case OP_SHL:
	case OP_SHR:
	case OP_SAR:
	case OP_NEG:
	case OP_NOT:
		return true;
	case OP_EXTS:
	case OP_EXTU:
		*out = resize(b, isa_c(i), isa_op(i) == OP_EXTS);
		return true;
	case OP_LNOT:
		*out = logical_not(b);
		return true;
	case OP_SEQ:
	case OP_SNE:
		*out = same(b, c, isa_op(i) == OP_SNE);
		return true;
	case OP_SLTS:
	case OP_SLES:
		*out = less(b, c, isa_op(i) == OP_SLES, true);
		return true;
	case OP_SLTU:
	case OP_SLEU:
		*out = less(b, c, isa_op(i) == OP_SLEU, false);
		return true;
	default:
		return false;
	}
}

/* What the instruction leaves in its register. False: it may fault, or has an effect. */
static bool evaluate(const struct walk *w, struct way *way, insn_t i, struct value *out)
{
	const struct value *b = &way->regs[isa_b(i) % ISA_REGS];
	const struct value *c = &way->regs[isa_c(i) % ISA_REGS];
	const uint64_t *constants = program_section(w->of->image, SECTION_CONST);

	if (calculate(i, b, c, out))
		return true;
	switch (isa_op(i)) {
	case OP_LI:
		*out = constant((uint64_t)(int64_t)isa_imm(i));
		return true;
	case OP_LC:
		*out = constant(constants[isa_imm(i)]);
		return true;
	case OP_LS:
		*out = (struct value){
			.kind = VALUE_STRING,
			.text = program_string(w->of->image, (uint32_t)isa_imm(i))};
		return true;
	case OP_MOV:
		*out = *b;
		return true;
	case OP_SCMP:
		*out = order_of(w, b, c);
		return is_string(b) && is_string(c);
	case OP_ULD:
		*out = load_field(w, i, b);
		return is_inside(w, i, b);
	case OP_BI:
		return load_builtin(w, way, (uint32_t)isa_imm(i), out);
	case OP_CALL:
		return call(w, way, i, out);
	case OP_LDG:
	case OP_LDT:
	case OP_LDD:
		return is_integer(w, i);
	case OP_TUP:
		*out = way->regs[isa_a(i) % ISA_REGS];
		return true;
	default:
		return false;
	}
}

/* ---- ways ---- */

/* The way goes on where register r is true, or false. False: that cannot be. */
static bool assume(struct way *way, unsigned r, bool is_true)
{
	struct value *v = &way->regs[r % ISA_REGS], t = not_equals(v, 0);

	if (!is_true)
		*v = constant(0);
	else if (v->kind == VALUE_TRUTH)
		*v = constant(1);
	if (t.kind == VALUE_CONSTANT)
		return (t.number != 0) == is_true;
	if (t.kind != VALUE_TRUTH || !(is_true ? t.tells_true : t.tells_false))
		return true;
	t.test.is_not ^= !is_true;
	return filter_term_add(&way->term, &t.test);
}

static void follow(struct walk *w, struct way *way);

/* Follows the way that jumps; way becomes the one that does not. False: there is none. */
static bool branch(struct walk *w, struct way *way, insn_t i, bool jumps_if)
{
	struct way other = *way;

	other.depth = ++way->depth;
	other.pc += (uint32_t)isa_imm(i);
	if (assume(&other, isa_a(i), jumps_if))
		follow(w, &other);
	return assume(way, isa_a(i), !jumps_if);
}

/* One instruction. False: the way has ended. */
static bool step(struct walk *w, struct way *way)
{
	insn_t i = w->code[way->pc++];
	struct value v;

	switch (isa_op(i)) {
	case OP_END:
		return false; /* the predicate was false */
	case OP_JMP:
		way->pc += (uint32_t)isa_imm(i);
		return true;
	case OP_JZ:
	case OP_JNZ:
		return branch(w, way, i, isa_op(i) == OP_JNZ);
	default:
		break;
	}
	if (!evaluate(w, way, i, &v)) {
		filter_add(w->out, &way->term);
		return false;
	}
	way->regs[isa_a(i) % ISA_REGS] = v;
	return true;
}

/* The jump over the clause leads to its end, the last instruction. */
static void follow(struct walk *w, struct way *way)
{
	while (!w->gave_up) {
		if (way->pc == w->body) {
			filter_add(w->out, &way->term);
			return;
		}
		if (++w->steps > STEPS_MAX || way->depth > DEPTH_MAX) {
			w->gave_up = true;
			return;
		}
		if (!step(w, way))
			return;
	}
}

/* The first instruction after the predicate; 0: there is no predicate. */
static uint32_t body_of(const void *image, const struct program_clause *clause)
{
	const struct program_stmt *s = program_section(image, SECTION_STMT);

	if (clause->nstmts < 2 || s[clause->stmt].action != 0 ||
	    s[clause->stmt + 1].first >= clause->first + clause->count - 1)
		return 0;
	return s[clause->stmt + 1].first;
}

void predicate_filter(const struct predicate *p, const struct filter_term *given,
		      struct filter *f)
{
	const struct program_clause *clause = program_clause(p->image, p->clause);
	struct walk w = {.of = p,
			 .code = program_section(p->image, SECTION_CODE),
			 .body = body_of(p->image, clause),
			 .out = f};
	struct way way = {.term = *given, .pc = clause->first};

	if (!w.body)
		filter_add(f, given);
	else
		follow(&w, &way);
	if (w.gave_up)
		filter_pass_all(f);
}

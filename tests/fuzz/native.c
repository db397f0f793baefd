/* SPDX-License-Identifier: MIT */
/*
 * Routines beside the interpreter: an input is read as clauses, made of instructions that
 * routines have, and as firings and events. Both must come to the same.
 */
#include "tests/fuzz/fuzz.h"

#include "tests/unit/support/native_pair.h"
#include "vm/agg.h"
#include "vm/block/layout.h"

#define CLAUSES_MAX 4u
#define INSNS_MAX   120u /* of a clause */
#define FIRINGS_MAX 40u
#define NGLOBALS    3u
#define NLOCALS	    2u
#define KEYS_MAX    4u
#define SETS	    4u	/* of operands, two for each probe */
#define REGISTERS   12u /* more than the processor's, that the machine's registers get */
#define JUMPS_OPEN  16u

/* ---- the input ---- */

struct input {
	const uint8_t *data;
	size_t n;
};

static uint8_t next(struct input *in)
{
	if (in->n == 0)
		return 0;
	in->n--;
	return *in->data++;
}

static uint32_t below(struct input *in, uint32_t n)
{
	return next(in) % n;
}

static uint64_t number(struct input *in)
{
	static const uint64_t favourites[] = {0,
					      1,
					      2,
					      63,
					      127,
					      128,
					      255,
					      32767,
					      65535,
					      INT32_MAX,
					      UINT32_MAX,
					      UINT64_C(1) << 32,
					      INT64_MAX,
					      UINT64_C(1) << 63,
					      UINT64_MAX - 1,
					      UINT64_MAX};
	uint8_t kind = next(in);
	uint64_t v = 0;

	if (kind < 128)
		return favourites[kind % ARRAY_LEN(favourites)];
	if (kind < 192)
		return next(in);
	for (unsigned i = 0; i < 8; i++)
		v = v << 8 | next(in);
	return v;
}

/* ---- programs ---- */

/* Keys of the variables and aggregations: of the digits' sizes, s is a string. */
static const char *const keys[] = {"", "8", "s", "48", "s8", "1s2", "ss4"};
#define NKEYS ARRAY_LEN(keys)
/* The values of actions. */
static const char *const values[] = {"", "8", "1s", "s", "248s", "s8s4"};
#define NACTIONS ARRAY_LEN(values)

static const struct {
	enum agg_func func;
	uint64_t param;
} functions[] = {
	{AGG_count, 0},
	{AGG_sum, 0},
	{AGG_min, 0},
	{AGG_max, 0},
	{AGG_avg, 0},
	{AGG_stddev, 0},
	{AGG_quantize, 0},
	{AGG_lquantize, UINT64_C(10) << 48 | UINT64_C(5) << 32 | 3},
	{AGG_llquantize,
	 UINT64_C(20) << 48 | UINT64_C(3) << 32 | UINT64_C(1) << 16 | 10},
};

/* A program under construction: one clause after the other. */
struct maker {
	struct input *in;
	struct builder *b;
	uint32_t n, nvars, naggs;
	const char *of_var[8], *of_agg[8]; /* keys */
	insn_t code[INSNS_MAX + 64];
	struct {
		uint32_t at;
		uint32_t left; /* instructions until it lands */
		uint32_t defined;
	} jump[JUMPS_OPEN];
	uint32_t njumps;
	uint32_t defined; /* bit N: register N is an integer here */
};

static void add_keys(struct builder *b, const char *k)
{
	for (; *k; k++)
		build_field(b, *k == 's' ? field_string(b->strsize)
					 : field_int((uint32_t)(*k - '0'), true));
}

static void make_tables(struct maker *m)
{
	struct builder *b = m->b;

	build_string(b, "a text of the program");
	for (uint32_t i = 0; i < 4; i++)
		build_constant(b, number(m->in));
	for (uint32_t i = 0; i < NGLOBALS; i++)
		build_var(b, SCOPE_GLOBAL, field_int(8, true), 0);
	for (uint32_t i = 0; i < NLOCALS; i++)
		build_var(b, SCOPE_THIS, field_int(8, true), 0);
	for (m->nvars = 0; m->nvars < ARRAY_LEN(m->of_var); m->nvars++) {
		uint32_t kind = below(m->in, NKEYS);
		bool is_self = next(m->in) & 1;

		m->of_var[m->nvars] = keys[kind];
		add_keys(b, keys[kind]);
		build_var(b,
			  kind == 0 ? SCOPE_SELF
			  : is_self ? SCOPE_SELF_ARRAY
				    : SCOPE_ARRAY,
			  field_int(8, true), (uint32_t)strlen(keys[kind]));
	}
	for (size_t i = 0; i < NACTIONS; i++) {
		add_keys(b, values[i]);
		build_action(b, ACTION_printf, (uint32_t)strlen(values[i]));
	}
	for (m->naggs = 0; m->naggs < ARRAY_LEN(m->of_agg); m->naggs++) {
		uint32_t f = below(m->in, ARRAY_LEN(functions));
		uint32_t kind = below(m->in, NKEYS);

		m->of_agg[m->naggs] = keys[kind];
		add_keys(b, keys[kind]);
		build_agg(b, functions[f].func, functions[f].param,
			  agg_words(functions[f].func, functions[f].param),
			  (uint32_t)strlen(keys[kind]));
	}
}

static void add(struct maker *m, insn_t i)
{
	m->code[m->n++] = i;
}

static uint32_t any_register(struct maker *m)
{
	uint32_t r = below(m->in, REGISTERS);

	return r > 9 ? r + 20 : r;
}

/* One that is defined: 0 is from the beginning. */
static uint32_t used(struct maker *m)
{
	uint32_t r = any_register(m);

	return m->defined >> r & 1 ? r : 0;
}

static uint32_t made(struct maker *m)
{
	uint32_t r = any_register(m);

	m->defined |= UINT32_C(1) << r;
	return r;
}

static void add_computation(struct maker *m)
{
	static const enum isa_op ops[] = {OP_ADD, OP_SUB,  OP_MUL,  OP_AND,  OP_OR,
					  OP_XOR, OP_SHL,  OP_SHR,  OP_SAR,  OP_SEQ,
					  OP_SNE, OP_SLTS, OP_SLES, OP_SLTU, OP_SLEU};
	enum isa_op op = ops[below(m->in, ARRAY_LEN(ops))];
	uint32_t b = used(m), c = used(m);

	add(m, isa_encode(op, made(m), b, c, 0));
}

static void add_unary(struct maker *m)
{
	static const enum isa_op ops[] = {OP_MOV, OP_NEG, OP_NOT, OP_LNOT};
	uint32_t kind = below(m->in, 7), b = used(m), a = made(m);

	if (kind < ARRAY_LEN(ops))
		add(m, isa_encode(ops[kind], a, b, 0, 0));
	else if (kind == 4)
		add(m, isa_encode(OP_ADDI, a, b, 0, (int32_t)number(m->in)));
	else
		add(m, isa_encode(kind == 5 ? OP_EXTS : OP_EXTU, a, b,
				  1u << below(m->in, 4), 0));
}

static void add_constant(struct maker *m)
{
	if (next(m->in) & 1)
		add(m, isa_encode(OP_LC, made(m), 0, 0, (int32_t)below(m->in, 4)));
	else
		add(m, isa_encode(OP_LI, made(m), 0, 0, (int32_t)number(m->in)));
}

static void add_division(struct maker *m)
{
	static const enum isa_op ops[] = {OP_DIVS, OP_DIVU, OP_REMS, OP_REMU};
	enum isa_op op = ops[below(m->in, ARRAY_LEN(ops))];
	uint32_t b = used(m), by = made(m);
	int32_t n = (int32_t)number(m->in);

	add(m, isa_encode(OP_LI, by, 0, 0, n == 0 || n == -1 ? 10 : n));
	add(m, isa_encode(op, made(m), b, by, 0));
}

static void add_builtin(struct maker *m)
{
	static const enum builtin ids[] = {
		BUILTIN_arg0,	   BUILTIN_arg1,	 BUILTIN_arg2,
		BUILTIN_id,	   BUILTIN_epid,	 BUILTIN_pid,
		BUILTIN_tid,	   BUILTIN_uid,		 BUILTIN_gid,
		BUILTIN_ppid,	   BUILTIN_cpu,		 BUILTIN_timestamp,
		BUILTIN_timestamp, BUILTIN_walltimestamp};

	add(m, isa_encode(OP_BI, made(m), 0, 0,
			  (int32_t)ids[below(m->in, ARRAY_LEN(ids))]));
}

/* A register of the target's; pc needs the constant before it. */
static void add_register(struct maker *m)
{
	static const uint8_t others[] = {REGS_UREG_PC, REGS_UREG_PLACE, REGS_UREG_SP};
	uint32_t kind = below(m->in, REGS_UREG_GENERAL + ARRAY_LEN(others));
	uint32_t r = made(m);

	add(m, isa_encode(OP_LI, r, 0, 0,
			  kind < REGS_UREG_GENERAL ? (int32_t)kind
						   : others[kind - REGS_UREG_GENERAL]));
	add(m, isa_encode(OP_BIX, made(m), r, 0, BUILTIN_uregs));
}

/* Mostly on the stack, where some of it is not there. */
static void add_fetch(struct maker *m)
{
	static const int32_t offsets[] = {0, 8, -8, 24, 1, 3, -100, 4090, -4096};
	const unsigned access =
		1u << below(m->in, 4) | (next(m->in) & 1 ? ISA_SIGNED : 0u);
	int32_t at = offsets[below(m->in, ARRAY_LEN(offsets))];
	uint32_t address = used(m), r;

	if (next(m->in) % 8) {
		r = made(m);
		add(m, isa_encode(OP_LI, r, 0, 0, REGS_UREG_SP));
		add(m, isa_encode(OP_BIX, r, r, 0, BUILTIN_uregs));
		address = r;
	}
	add(m, isa_encode(OP_ULD, made(m), address, access, at));
}

/* Rarely: what follows it is not run. */
static void add_gone(struct maker *m)
{
	uint32_t r = used(m);

	if (next(m->in) % 8 || m->n > INSNS_MAX - 44)
		return;
	add(m, isa_encode(OP_JZ, r, 0, 0, 1));
	add(m, isa_encode(OP_CALL, r, 0, 0, SUBR_local_gone));
}

static void add_variable(struct maker *m)
{
	uint32_t global = below(m->in, NGLOBALS);
	uint32_t local = NGLOBALS + below(m->in, NLOCALS);

	switch (below(m->in, 4)) {
	case 0:
		add(m, isa_encode(OP_LDG, made(m), 0, 0, (int32_t)global));
		break;
	case 1:
		add(m, isa_encode(OP_STG, used(m), 0, 0, (int32_t)global));
		break;
	case 2:
		add(m, isa_encode(OP_LDT, made(m), 0, 0, (int32_t)local));
		break;
	default:
		add(m, isa_encode(OP_STT, used(m), 0, 0, (int32_t)local));
	}
}

/* ---- tuples ---- */

static void add_string(struct maker *m)
{
	static const enum builtin names[] = {BUILTIN_probeprov, BUILTIN_probemod,
					     BUILTIN_probefunc, BUILTIN_probename};
	uint32_t kind = below(m->in, 6), r = any_register(m);

	m->defined &= ~(UINT32_C(1) << r) | 1;
	if (r == 0)
		r = 20;
	if (kind < ARRAY_LEN(names))
		add(m, isa_encode(OP_BI, r, 0, 0, (int32_t)names[kind]));
	else
		add(m, isa_encode(OP_LS, r, 0, 0, kind == 4));
	add(m, isa_encode(OP_TPS, r, 0, 0, 0));
}

static void add_integer(struct maker *m, uint32_t size)
{
	uint32_t kind = below(m->in, 4);

	if (kind == 0)
		add_constant(m);
	else if (kind == 1)
		add_builtin(m);
	else if (kind == 2)
		add_unary(m);
	add(m, isa_encode(OP_TPI, used(m), 0, size, 0));
}

static void add_tuple(struct maker *m, const char *k)
{
	add(m, isa_encode(OP_TUP, 0, 0, 0, 0));
	for (; *k; k++)
		if (*k == 's')
			add_string(m);
		else
			add_integer(m, (uint32_t)(*k - '0'));
}

static void add_update(struct maker *m)
{
	uint32_t agg = below(m->in, m->naggs);
	uint32_t value = used(m), increment = used(m);

	add_tuple(m, m->of_agg[agg]);
	/* a key may have taken the register */
	if (!(m->defined >> value & m->defined >> increment & 1))
		value = increment = 0;
	add(m, isa_encode(OP_AGGR, value, increment, 0, (int32_t)agg));
}

static void add_dynamic(struct maker *m)
{
	uint32_t var = below(m->in, m->nvars), kind = below(m->in, 4);
	int32_t number_of_var = (int32_t)(NGLOBALS + NLOCALS + var);
	bool keeps = kind == 2;

	add_tuple(m, m->of_var[var]);
	if (kind > 0)
		add(m, isa_encode(OP_LDD, made(m), 0, keeps, number_of_var));
	if (keeps)
		add_computation(m);
	if (kind == 0 || keeps)
		add(m, isa_encode(OP_STD, used(m), 0, 0, number_of_var));
}

/* Now and then a value is that of a dynamic variable, under a tuple of its own. */
static void add_record(struct maker *m)
{
	uint32_t action = below(m->in, NACTIONS + 1);

	if (action == NACTIONS) {
		add(m, isa_encode(OP_RECE, 0, 0, 0, 0));
		return;
	}
	add(m, isa_encode(OP_TUP, 0, 0, 0, 0));
	for (const char *k = values[action]; *k; k++) {
		if (*k == 's') {
			add_string(m);
			continue;
		}
		if (m->n < INSNS_MAX - 44 && next(m->in) % 4 == 0)
			add_dynamic(m);
		add_integer(m, (uint32_t)(*k - '0'));
	}
	add(m, isa_encode(OP_REC, 0, 0, 0, (int32_t)action));
}

/* ---- jumps ---- */

static void add_jump(struct maker *m)
{
	uint32_t kind = below(m->in, 5);

	if (m->njumps == JUMPS_OPEN)
		return;
	m->jump[m->njumps].at = m->n;
	m->jump[m->njumps].left = below(m->in, 12);
	m->jump[m->njumps].defined = m->defined;
	m->njumps++;
	if (kind == 0)
		add(m, isa_encode(OP_JMP, 0, 0, 0, 0));
	else
		add(m, isa_encode(kind & 1 ? OP_JZ : OP_JNZ, used(m), 0, 0, 0));
}

/* What lands here, or everything: only what is defined on all ways is so from here on. */
static void land(struct maker *m, bool all)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < m->njumps; i++) {
		if (!all && m->jump[i].left) {
			m->jump[i].left--;
			m->jump[kept++] = m->jump[i];
			continue;
		}
		m->code[m->jump[i].at] |= (insn_t)(m->n - m->jump[i].at - 1) << 32;
		m->defined &= m->jump[i].defined;
	}
	m->njumps = kept;
}

static void make_clause(struct maker *m)
{
	static void (*const parts[])(struct maker * m) = {
		add_computation, add_computation, add_unary,	add_constant,
		add_division,	 add_builtin,	  add_variable, add_variable,
		add_update,	 add_update,	  add_update,	add_dynamic,
		add_dynamic,	 add_dynamic,	  add_jump,	add_jump,
		add_register,	 add_register,	  add_fetch,	add_fetch,
		add_gone,	 add_record,	  add_record,	add_record,
	};
	uint32_t n = below(m->in, 30);

	m->n = m->njumps = 0;
	m->defined = 1;
	add(m, isa_encode(OP_BI, 0, 0, 0, BUILTIN_arg1));
	while (n-- && m->n < INSNS_MAX - 40) {
		land(m, false);
		parts[below(m->in, ARRAY_LEN(parts))](m);
	}
	land(m, true);
	add(m, isa_encode(OP_END, 0, 0, 0, 0));
	build_clause(m->b, m->code, m->n);
}

/* ---- operands ---- */

/* Mostly as compilers leave them; registers beyond the last one, and any scale. */
static void make_operand(struct input *in, struct probe_operand *o)
{
	static const uint8_t bases[] = {4, 5, 4, 5, 7, PROBE_OPERAND_NO_REG, 200};
	const uint8_t how = next(in);

	o->kind = how % PROBE_OPERAND_KINDS;
	o->size = (uint8_t)(1u << (how >> 3 & 3));
	o->is_signed = how >> 5 & 1;
	o->is_thread_local = how >> 6 == 3;
	o->index = PROBE_OPERAND_NO_REG;
	if (o->kind == PROBE_OPERAND_MEMORY) {
		o->base = bases[below(in, ARRAY_LEN(bases))];
		if (next(in) & 1) {
			o->index = (uint8_t)below(in, 18);
			o->scale = (uint8_t)(1u << below(in, 4));
		}
		probe_operand_set_disp(o, (uint64_t)(int64_t)(int8_t)next(in));
		return;
	}
	o->base = (uint8_t)below(in, 18);
	o->shift = how >> 6 == 1 ? 8 : 0;
	probe_operand_set_disp(o, number(in));
}

static void make_sets(struct input *in, struct probe_operands *sets)
{
	memset(sets, 0, SETS * sizeof(*sets));
	for (uint32_t i = 0; i < SETS; i++) {
		sets[i].probe = 1 + i % NATIVE_PAIR_PROBES;
		for (uint32_t k = 0; k < 3; k++)
			make_operand(in, &sets[i].arg[k]);
	}
}

/* ---- running ---- */

static struct native_pair *make_pair(struct input *in, struct probe_operands *sets)
{
	static const uint64_t sizes[] = {64 << 10, 64 << 10, 400, 0};
	static const uint64_t buffers[] = {64 << 10, 4096, 1500, 300};
	struct maker m = {.in = in, .b = builder_new()};
	uint32_t n = 1 + below(in, CLAUSES_MAX);
	struct verify_error e = {0, NULL};
	struct state_config config;
	size_t size;
	void *image;

	m.b->strsize = next(in) & 3 ? 256 : 4;
	make_tables(&m);
	while (n--)
		make_clause(&m);
	image = build_image(m.b, &size);
	if (program_verify(image, size, &e) != 0) {
		fprintf(stderr, "instruction %u: %s\n", e.insn, e.text);
		abort(); /* the generator is wrong */
	}
	config = rig_config(image);
	config.aggsize = sizes[below(in, ARRAY_LEN(sizes))];
	config.dynvarsize = sizes[below(in, ARRAY_LEN(sizes))];
	config.bufsize = buffers[below(in, ARRAY_LEN(buffers))];
	config.policy = below(in, 4) % STATE_POLICY_COUNT;
	make_sets(in, sets);
	return native_pair_noted(image, size, &config, sets, SETS);
}

static void fire(struct native_pair *p, struct input *in)
{
	uint8_t kind = next(in);
	struct native_pair_firing f = {
		.probe = kind & 1,
		.thread = kind >> 1 & 1,
		.is_return = kind >> 2 & 1,
		.is_interpreted = kind >> 5 == 6,
	};

	if (kind >> 5 == 7) {
		native_pair_event(p, (enum native_pair_event)below(in, PAIR_EVENTS),
				  kind & 1);
		return;
	}
	for (uint32_t i = 0; i < 3; i++)
		f.args[i] = number(in);
	if (f.is_return)
		f.args[0] = (uint32_t)f.args[0];
	else if (kind >> 3 & 1) /* of the sets of this probe */
		f.operands = 1 + f.probe + NATIVE_PAIR_PROBES * (kind >> 4 & 1);
	native_pair_fire(p, &f);
}

static unsigned long nprograms, nroutines;

static void report(void)
{
	printf("%lu programs, %lu with a routine\n", nprograms, nroutines);
}

void fuzz_one(const uint8_t *data, size_t n)
{
	struct input in = {data, n};
	struct probe_operands sets[SETS];
	struct native_pair *p = make_pair(&in, sets);
	const char *text;

	if (!nprograms++)
		atexit(report);
	nroutines += native_pair_has_routine(p, false);
	for (uint32_t i = 0; i < FIRINGS_MAX && in.n; i++) {
		fire(p, &in);
		text = native_pair_difference(p);
		if (text) {
			fprintf(stderr, "firing %u: %s\n", i, text);
			abort();
		}
	}
	native_pair_free(p);
}

/* SPDX-License-Identifier: MIT */
/*
 * Planner and moved instructions: an input makes a function of harmless instructions,
 * jumps, loops, calls and returns, and padding around it, and says which of them are
 * sites. It runs step by
 * step first, which says how often each site is met; then hooked as planned: results,
 * flags and the sites' counts must be the same, and no bytes that must stay may change.
 */
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "disasm/disasm.h"
#include "hook/target.h"
#include "hook/trampoline.h"

#define GATE	   0x30000000u
#define CODE	   UINT64_C(0x31000000)
#define CODE_BYTES 512u
#define BEFORE	   64u /* bytes of another function and padding */
#define TEXT	   (CODE - BEFORE)
#define TEXT_BYTES (BEFORE + 0x410u)
#define HELPER	   (CODE + 0x400)
#define POOL	   (CODE + 0x800)
#define STUBS	   UINT64_C(0x31010000)
#define WORDS	   UINT64_C(0x31030000)
#define REGION	   0x40000
#define SITES_MAX  256
#define INSNS_MAX  64
#define PAGE	   UINT64_C(4096)
#define DEPTH_MAX  4
#define TRAP_FLAG  UINT64_C(0x100)

struct gate {
	uint64_t rax, enter, tail, rcx;
	uint64_t room[4];
	uint64_t count[SITES_MAX];
	uint64_t tails[SITES_MAX];
};

struct regs {
	uint64_t rax, rcx, rdx, rsi, rdi, r8, r9, flags;
};

void moved_entry(void);
void moved_call(uint64_t function, struct regs *regs, uint64_t trap);
extern const char moved_return[];

__asm__(".pushsection .text\n"
	"moved_entry:\n"
	"	mov	%rcx, %gs:0x30000018\n"
	"	mov	%gs:0x30000040(,%rax,8), %rcx\n"
	"	lea	1(%rcx), %rcx\n"
	"	mov	%rcx, %gs:0x30000040(,%rax,8)\n"
	"	mov	%gs:0x30000840(,%rax,8), %rcx\n"
	"	mov	%rcx, %gs:0x30000010\n"
	"	mov	%gs:0x30000018, %rcx\n"
	"	mov	%gs:0x30000000, %rax\n"
	"	jmp	*%gs:0x30000010\n"
	".globl moved_call, moved_return\n"
	"moved_call:\n"
	"	push	%rbx\n"
	"	push	%r12\n"
	"	push	%rbp\n"
	"	mov	%rsi, %rbx\n"
	"	mov	%rdi, %r11\n"
	"	mov	%rdx, %r12\n"
	"	mov	$0x31000400, %r10\n"
	"	mov	0(%rbx), %rax\n"
	"	mov	8(%rbx), %rcx\n"
	"	mov	16(%rbx), %rdx\n"
	"	mov	24(%rbx), %rsi\n"
	"	mov	32(%rbx), %rdi\n"
	"	mov	40(%rbx), %r8\n"
	"	mov	48(%rbx), %r9\n"
	"	push	%r12\n"
	"	popf\n"
	"	call	*%r11\n"
	"moved_return:\n"
	"	pushf\n"
	"	pop	%r12\n"
	"	mov	%rax, 0(%rbx)\n"
	"	mov	%rcx, 8(%rbx)\n"
	"	mov	%rdx, 16(%rbx)\n"
	"	mov	%rsi, 24(%rbx)\n"
	"	mov	%rdi, 32(%rbx)\n"
	"	mov	%r8, 40(%rbx)\n"
	"	mov	%r9, 48(%rbx)\n"
	"	mov	%r12, 56(%rbx)\n"
	"	pop	%rbp\n"
	"	pop	%r12\n"
	"	pop	%rbx\n"
	"	ret\n"
	".popsection\n");

_Static_assert(offsetof(struct gate, count) == 0x40, "the entry's");
_Static_assert(offsetof(struct gate, tails) == 0x840, "the entry's");

/* ---- the function ---- */

struct input {
	const uint8_t *data;
	size_t n, at;
};

static unsigned take(struct input *in)
{
	return in->at < in->n ? in->data[in->at++] : 0;
}

/* One instruction; a jump's target is an instruction's number, patched at the end. */
struct made {
	uint16_t at;
	uint8_t len;
	bool is_exit, is_jcc;
	uint8_t field; /* bytes of the jump's distance, at its end */
	uint16_t to;   /* number, or UINT16_MAX: the helper */
};

struct function {
	uint8_t code[CODE_BYTES];
	uint16_t size;
	struct made insns[INSNS_MAX];
	uint16_t ninsns;
	unsigned depth; /* words pushed */
	unsigned loops; /* beginnings of loops left open */
	uint16_t loop_at[DEPTH_MAX];
};

static const struct {
	uint8_t n, bytes[11];
} plain[] = {
	{3, {0x48, 0x01, 0xc8}},	     /* add %rcx,%rax */
	{3, {0x48, 0x29, 0xd0}},	     /* sub %rdx,%rax */
	{2, {0x31, 0xf8}},		     /* xor %edi,%eax */
	{2, {0xff, 0xc0}},		     /* inc %eax */
	{3, {0x8d, 0x47, 0x02}},	     /* lea 2(%rdi),%eax */
	{4, {0x48, 0x0f, 0xaf, 0xc1}},	     /* imul %rcx,%rax */
	{5, {0xb8, 0x78, 0x56, 0x34, 0x12}}, /* mov $...,%eax */
	{10, {0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8}},
	{3, {0x83, 0xc2, 0x11}}, /* add $17,%edx */
	{3, {0x0f, 0x94, 0xc0}}, /* sete %al */
	{3, {0x0f, 0x42, 0xc6}}, /* cmovb %esi,%eax */
	{3, {0x48, 0x85, 0xff}}, /* test %rdi,%rdi */
	{3, {0x48, 0x39, 0xf7}}, /* cmp %rsi,%rdi */
	{3, {0x4c, 0x01, 0xc8}}, /* add %r9,%rax */
	{3, {0x49, 0x89, 0xc0}}, /* mov %rax,%r8 */
	{3, {0x48, 0xd1, 0xe8}}, /* shr %rax */
	{1, {0xf9}},		 /* stc */
	{1, {0x90}},
	{2, {0x66, 0x90}},
	{3, {0x0f, 0x1f, 0x00}},
	{4, {0xf3, 0x0f, 0x1e, 0xfa}}, /* endbr64 */
	{4, {0x48, 0x8d, 0x04, 0x24}}, /* lea (%rsp),%rax */
	{3, {0x48, 0x29, 0xe0}},       /* sub %rsp,%rax */
};

static struct made *add(struct function *f, const uint8_t *bytes, uint8_t n)
{
	struct made *m = &f->insns[f->ninsns++];

	*m = (struct made){.at = f->size, .len = n};
	memcpy(f->code + f->size, bytes, n);
	f->size = (uint16_t)(f->size + n);
	return m;
}

/* A jump with a distance of `field` bytes after the opcode, to be filled in. */
static struct made *add_jump(struct function *f, const uint8_t *opcode, uint8_t n,
			     uint8_t field, uint16_t to)
{
	uint8_t bytes[8] = {0};
	struct made *m;

	memcpy(bytes, opcode, n);
	m = add(f, bytes, (uint8_t)(n + field));
	m->field = field;
	m->to = to;
	return m;
}

static void add_return(struct function *f, unsigned how)
{
	static const uint8_t pop = 0x5a, ret = 0xc3, rep_ret[] = {0xf3, 0xc3},
			     jmp = 0xe9, jmp_r10[] = {0x41, 0xff, 0xe2}, nop = 0x90,
			     int3 = 0xcc;

	for (unsigned i = f->depth; i; i--)
		add(f, &pop, 1);
	switch (how % 4) {
	case 0:
		add(f, &ret, 1)->is_exit = true;
		break;
	case 1:
		add(f, rep_ret, 2)->is_exit = true;
		break;
	case 2:
		add_jump(f, &jmp, 1, 4, UINT16_MAX)->is_exit = true;
		break;
	default:
		add(f, jmp_r10, 3)->is_exit = true;
	}
	for (unsigned i = how / 4 % 7; i; i--)
		add(f, how / 64 ? &nop : &int3, 1);
}

/* A jump over what comes next, or out when nothing is pushed. */
static void add_branch(struct function *f, unsigned how)
{
	const uint8_t near[] = {0x0f, (uint8_t)(0x80 | how % 16)};
	const uint8_t brief = (uint8_t)(0x70 | how % 16), jrcxz = 0xe3;
	uint16_t to = (uint16_t)(f->ninsns + 1 + how / 16 % 4);
	struct made *m;

	if (how & 0x80 && !f->depth && !f->loops) {
		m = add_jump(f, near, 2, 4, UINT16_MAX);
		m->is_exit = m->is_jcc = true;
	} else if (how & 0x40) {
		m = add_jump(f, near, 2, 4, to);
		m->is_jcc = true;
	} else if (how % 16 == 15) {
		add_jump(f, &jrcxz, 1, 1, to);
	} else {
		m = add_jump(f, &brief, 1, 1, to);
		m->is_jcc = true;
	}
}

static void open_loop(struct function *f, unsigned how)
{
	const uint8_t mov_ecx[] = {0xb9, (uint8_t)(1 + how % 5), 0, 0, 0};

	if (f->loops)
		return;
	add(f, mov_ecx, 5);
	f->loop_at[f->loops++] = f->ninsns;
}

static void close_loop(struct function *f, unsigned how)
{
	static const uint8_t dec_rcx[] = {0x48, 0xff, 0xc9}, jne = 0x75, loop = 0xe2;

	if (!f->loops)
		return;
	f->loops--;
	if (how & 1) {
		add_jump(f, &loop, 1, 1, f->loop_at[f->loops]);
		return;
	}
	add(f, dec_rcx, 3);
	add_jump(f, &jne, 1, 1, f->loop_at[f->loops])->is_jcc = true;
}

static void add_call(struct function *f, unsigned how)
{
	static const uint8_t call = 0xe8, call_r10[] = {0x41, 0xff, 0xd2};

	if (how & 1)
		add_jump(f, &call, 1, 4, UINT16_MAX);
	else
		add(f, call_r10, 3);
}

static void add_load(struct function *f, unsigned how)
{
	uint8_t bytes[7] = {0x48, 0x8b, 0x05}; /* mov POOL + ...(%rip),%rax */
	uint32_t distance =
		(uint32_t)(POOL + how % 32 * 8 - (CODE + f->size + sizeof(bytes)));

	memcpy(bytes + 3, &distance, 4);
	add(f, bytes, sizeof(bytes));
}

/* Jumps over pushes, pops and loops' ends would unbalance them: none is under way. */
static void add_any(struct function *f, struct input *in)
{
	static const uint8_t push = 0x50;
	unsigned what = take(in), how = take(in);

	switch (what % 16) {
	case 0:
		if (f->depth < DEPTH_MAX && !f->loops) {
			add(f, &push, 1);
			f->depth++;
		}
		break;
	case 1:
		if (!f->loops)
			add_return(f, how);
		break;
	case 2:
	case 3:
		add_branch(f, how);
		break;
	case 4:
		open_loop(f, how);
		break;
	case 5:
		close_loop(f, how);
		break;
	case 6:
		add_call(f, how);
		break;
	case 7:
		add_load(f, how);
		break;
	default:
		add(f, plain[how % ARRAY_LEN(plain)].bytes,
		    plain[how % ARRAY_LEN(plain)].n);
	}
}

/* Whether a jump to this instruction keeps the stack and the loops as they are. */
static bool is_harmless(const struct function *f, const struct made *m)
{
	for (uint16_t i = (uint16_t)(m - f->insns) + 1; i < m->to && i < f->ninsns;
	     i++) {
		uint8_t byte = f->code[f->insns[i].at];

		if (byte == 0x50 || byte == 0x5a || byte == 0xb9 || byte == 0xe2 ||
		    byte == 0x75)
			return false;
	}
	if (m->to >= f->ninsns)
		return false;
	/* nor one that leaves the counting of a loop out, or meets a breakpoint */
	return f->code[f->insns[m->to].at] != 0x75 &&
	       f->code[f->insns[m->to].at] != 0xcc;
}

static void patch_jumps(struct function *f)
{
	for (uint16_t i = 0; i < f->ninsns; i++) {
		struct made *m = &f->insns[i];
		uint64_t end = CODE + m->at + m->len, to = HELPER;
		uint32_t distance;

		if (!m->field)
			continue;
		if (m->to != UINT16_MAX) {
			bool is_back = m->to <= i;

			to = is_back || is_harmless(f, m) ? CODE + f->insns[m->to].at
							  : end;
			if (m->field == 1 && to != end &&
			    (int64_t)(to - end) != (int8_t)(to - end))
				to = end;
		}
		distance = (uint32_t)(to - end);
		memcpy(f->code + m->at + m->len - m->field, &distance, m->field);
	}
}

static void make_function(struct function *f, struct input *in)
{
	*f = (struct function){.size = 0};
	for (unsigned n = 2 + take(in) % 24; n; n--)
		if (f->ninsns < INSNS_MAX - 24)
			add_any(f, in);
	if (f->loops)
		close_loop(f, 0);
	add_return(f, take(in));
	patch_jumps(f);
	assert(f->size < CODE_BYTES && f->ninsns < INSNS_MAX);
}

/* ---- what is met, step by step ---- */

static struct {
	const struct function *f;
	uint64_t met[CODE_BYTES], taken[CODE_BYTES];
	uint64_t last; /* address of the instruction that ran */
	unsigned steps;
} oracle;

static void note_step(int sig, siginfo_t *info, void *context)
{
	ucontext_t *u = context;
	uint64_t pc = (uint64_t)u->uc_mcontext.gregs[REG_RIP], last = oracle.last;

	(void)sig;
	(void)info;
	if (last - CODE < oracle.f->size && pc != last) {
		const uint8_t *code = oracle.f->code + (last - CODE);
		struct insn in;

		if (decode(code, oracle.f->size - (last - CODE), taddr_of(last), &in) ==
			    0 &&
		    in.kind == INSN_JCC && pc == in.target.v && pc != last + in.len)
			oracle.taken[last - CODE]++;
	}
	if (pc - CODE < oracle.f->size)
		oracle.met[pc - CODE]++;
	oracle.last = pc;
	assert(++oracle.steps < 100000); /* every loop ends */
	if (pc == (uint64_t)(uintptr_t)moved_return)
		u->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
}

/* ---- hooked ---- */

struct hooking {
	const struct function *f;
	struct hook_probe_point wants[INSNS_MAX];
	size_t nwants;
	const struct hook_probe_point *now; /* those of the function that is planned */
	uint64_t floor;			    /* plans ascend, apart */
	size_t nown,
		ntaken;	   /* wants of the function; of the next one, planned with it */
	uint64_t behind;   /* where a second function begins, or 0 */
	bool has_no_pages; /* for chained jumps */
	uint32_t nsites, nhooks;
	struct {
		uint64_t pc;
		bool on_taken;
	} sites[SITES_MAX];
	struct addr_range before;      /* the other function */
	uint64_t pages[SITES_MAX * 2]; /* with the islands of punned jumps */
	unsigned npages;
	/* From TEXT on: sites left to breakpoints, bytes that plans hold, and change. */
	bool is_broken[TEXT_BYTES], is_held[TEXT_BYTES], is_written[TEXT_BYTES];
};

static struct gate *const gate = (struct gate *)(uintptr_t)GATE;

static void write_code(struct hooking *h, taddr at, const uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		((uint8_t *)(uintptr_t)at.v)[i] = bytes[i];
		h->is_written[at.v - TEXT + i] = true;
	}
}

/* No two plans hold the same byte. */
static void hold(struct hooking *h, taddr at, size_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		assert(!h->is_held[at.v - TEXT + i]);
		h->is_held[at.v - TEXT + i] = true;
	}
}

/* The island of a punned jump, where its page can be mapped, or is ours. */
static bool map_page(struct hooking *h, uint64_t page)
{
	void *want = (void *)(uintptr_t)page;

	for (unsigned i = 0; i < h->npages; i++)
		if (h->pages[i] == page)
			return true;
	if (page > UINT32_MAX || page < 0x10000 || h->npages == ARRAY_LEN(h->pages) ||
	    mmap(want, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != want)
		return false;
	h->pages[h->npages++] = page;
	return true;
}

static bool has_place(struct hooking *h, const struct hook_plan *plan)
{
	uint64_t at = plan->island.at.v;

	return plan->tactic != HOOK_JMP_PUN ||
	       (map_page(h, align_down(at, PAGE)) &&
		map_page(h, align_down(at + HOOK_JUMP - 1, PAGE)));
}

/* Landings lie anywhere below 4 GiB, also where nothing is mapped before they are used. */
static enum hook_place landing_at(void *ctx, taddr at)
{
	struct hooking *h = ctx;
	uint64_t page = align_down(at.v, PAGE);
	int64_t far = (int64_t)(at.v - STUBS);
	bool is_ours = false;

	for (unsigned i = 0; i < h->npages; i++)
		is_ours |= h->pages[i] == page;
	if (h->has_no_pages || far != (int32_t)far || at.v % PAGE > PAGE - HOOK_JUMP ||
	    at.v - TEXT < REGION)
		return HOOK_PLACE_NONE;
	for (uint64_t i = 0; i < HOOK_JUMP; i++)
		if (is_ours && ((const uint8_t *)(uintptr_t)at.v)[i])
			return HOOK_PLACE_NONE; /* another's */
	if (is_ours)
		return HOOK_PLACE_MAPPED;
	return map_page(h, page) ? HOOK_PLACE_NEW : HOOK_PLACE_NONE;
}

static bool choose_chain(struct hooking *h, const struct hook_plan *plan,
			 uint8_t *bytes)
{
	const struct hook_places places = {h->pages, h->npages, landing_at, h};

	return hook_chain_choose(plan, &places, bytes);
}

static void unmap_pages(const struct hooking *h)
{
	for (unsigned i = 0; i < h->npages; i++)
		munmap((void *)(uintptr_t)h->pages[i], PAGE);
}

static void write_landings(const struct hook_plan *plan, const struct stub *stub)
{
	for (uint32_t i = 0; i < plan->nheads; i++)
		memcpy((void *)(uintptr_t)hook_chain_landing(plan, stub->patch, i).v,
		       stub->island + (size_t)i * HOOK_JUMP, HOOK_JUMP);
}

static void place(struct hooking *h, const struct hook_plan *plan, const uint8_t *chain)
{
	uint64_t at = STUBS + h->nhooks * UINT64_C(512);
	uint64_t *words = (uint64_t *)(uintptr_t)(WORDS + h->nsites * UINT64_C(8));
	struct stub_request req = {
		.plan = plan,
		.chain = chain,
		.gate = {GATE + offsetof(struct gate, rax),
			 GATE + offsetof(struct gate, enter)},
		.site = h->nsites,
		.stub = taddr_of(at),
		.switch_word = taddr_of((uint64_t)(uintptr_t)words),
	};
	struct stub stub;

	assert(stub_build(&req, &stub) == 0);
	memcpy((void *)(uintptr_t)at, stub.bytes, stub.n);
	for (uint32_t i = 0; i < plan->nsites; i++) {
		bool is_call = plan->tactic == HOOK_CALL;

		words[i] = at + stub.prologues[i] + STUB_ON;
		gate->tails[h->nsites] = at + stub.prologues[i] + STUB_EPILOGUE;
		h->sites[h->nsites].pc =
			is_call ? plan->site.v : plan->patch.v + plan->sites[i].at;
		h->sites[h->nsites++].on_taken = plan->sites[i].on_taken;
	}
	write_code(h, plan->patch, stub.patch, hook_plan_patched(plan));
	write_landings(plan, &stub);
	if (hook_plan_has_island(plan))
		write_code(h, plan->island.at, stub.island,
			   hook_island_written(&plan->island));
	else if (plan->island.at.v)
		memcpy((void *)(uintptr_t)plan->island.at.v, stub.island, HOOK_JUMP);
	h->nhooks++;
}

static void take_jump(struct hooking *h, const struct hook_plan *plan, size_t first,
		      size_t n, const uint8_t *chain);

/* The bytes of chained jumps are chosen; or the last of them is left, a plain jump. */
static void take_chain(struct hooking *h, const struct hook_plan *plan, size_t first,
		       size_t n)
{
	uint8_t bytes[HOOK_PATCH_MAX];
	struct hook_plan tail;
	bool has_tail = hook_chain_tail(plan, &tail);

	assert(hook_chain_is_sound(plan));
	if (choose_chain(h, plan, bytes)) {
		take_jump(h, plan, first, n, bytes);
		return;
	}
	for (; n && (!has_tail || h->wants[first].pc.v < tail.patch.v); first++, n--)
		h->is_broken[h->wants[first].pc.v - TEXT] = true;
	if (has_tail)
		take_jump(h, &tail, first, n, NULL);
}

static void take_plan(void *ctx, const struct hook_plan *plan, size_t first, size_t n)
{
	struct hooking *h = ctx;

	if (first + n > h->nown)
		h->ntaken = first + n - h->nown;
	first += (size_t)(h->now - h->wants);
	assert(n && first + n <= h->nwants);
	if (plan->tactic == HOOK_JMP_CHAIN) {
		take_chain(h, plan, first, n);
		return;
	}
	if (plan->reason || !has_place(h, plan)) {
		assert(n == 1 && plan->site.v == h->wants[first].pc.v);
		h->is_broken[plan->site.v - TEXT] = true;
		return;
	}
	take_jump(h, plan, first, n, NULL);
}

static void take_jump(struct hooking *h, const struct hook_plan *plan, size_t first,
		      size_t n, const uint8_t *chain)
{
	assert(plan->patch.v >= h->floor);
	h->floor = plan->patch.v + plan->covered;
	hold(h, plan->patch, plan->island.at.v ? hook_plan_held(plan) : plan->covered);
	if (hook_plan_has_island(plan))
		hold(h, plan->island.at, plan->island.covered);
	for (size_t i = first; i < first + n; i++) {
		const struct hook_probe_point *w = &h->wants[i];

		assert(!w->no_jump);
		assert(!w->is_before || hook_plan_find(plan, w->pc, false) >= 0);
		assert(!w->is_exit || hook_plan_find(plan, w->pc, true) >= 0 ||
		       hook_plan_find(plan, w->pc, false) >= 0);
	}
	place(h, plan, chain);
}

static void choose_wants(struct hooking *h, struct input *in)
{
	for (uint16_t i = 0; i < h->f->ninsns; i++) {
		const struct made *m = &h->f->insns[i];
		unsigned how = take(in);
		struct hook_probe_point w = {.pc = taddr_of(CODE + m->at)};

		w.is_before = how & 1;
		w.is_exit = m->is_exit && how & 2;
		w.no_jump = how % 16 == 13;
		if (w.is_before || w.is_exit)
			h->wants[h->nwants++] = w;
	}
}

/* The wants in the range, but for those that the function before has taken over. */
static void plan_part(struct hooking *h, const struct hook_module *m,
		      const struct hook_branches *b, struct addr_range in,
		      struct hook_islands *islands)
{
	const struct hook_probe_point *end = h->wants + h->nwants, *w = h->now;
	struct hook_function f = {.lo = in.lo,
				  .hi = in.hi,
				  .islands = islands,
				  .wants = h->now,
				  .floor = taddr_of(h->floor),
				  .plan = take_plan,
				  .ctx = h};

	while (w < end && w->pc.v < in.hi.v)
		w++;
	h->nown = f.nwants = (size_t)(w - h->now);
	f.nafter = (size_t)(end - w);
	h->ntaken = 0;
	hook_plan_function(m, b, &f);
	h->now = w + h->ntaken;
}

/* A second function begins behind a way out: control does not run on into it. */
static void split(struct hooking *h, unsigned how)
{
	const struct function *f = h->f;

	for (uint16_t i = 1; i < f->ninsns && how; i++)
		if (f->insns[i - 1].is_exit && !f->insns[i - 1].is_jcc && !--how)
			h->behind = CODE + f->insns[i].at;
}

static void hook_all(struct hooking *h)
{
	static const uint8_t helper[] = {0x48, 0x8d, 0x47, 0x03, 0xc3};
	static uint8_t bytes[TEXT_BYTES];
	const struct hook_bytes part = {
		.lo = taddr_of(TEXT), .data = bytes, .n = sizeof(bytes)};
	uint64_t end = CODE + h->f->size, split = h->behind ? h->behind : end;
	const struct addr_range functions[] = {
		h->before,
		{taddr_of(CODE), taddr_of(split)},
		{taddr_of(split), taddr_of(end)},
		{taddr_of(HELPER), taddr_of(HELPER + sizeof(helper))},
	};
	const struct hook_module m = {.code = &part,
				      .ncode = 1,
				      .functions = functions,
				      .nfunctions = 4,
				      .unwound = functions,
				      .nunwound = 4};
	struct hook_islands *islands = hook_islands_new();
	struct hook_branches *b;

	memcpy(bytes, (const void *)(uintptr_t)TEXT, sizeof(bytes));
	b = hook_branches_new(&m);
	h->now = h->wants;
	plan_part(h, &m, b, functions[1], islands);
	if (split < end)
		plan_part(h, &m, b, functions[2], islands);
	hook_branches_free(b);
	hook_islands_free(islands);
	for (size_t i = 0; i < sizeof(bytes); i++) {
		const uint8_t now = ((const uint8_t *)(uintptr_t)TEXT)[i];

		assert(h->is_held[i] || !h->is_written[i]);
		assert(h->is_written[i] || now == bytes[i]);
	}
}

static void check_sites(const struct hooking *h)
{
	for (uint32_t i = 0; i < h->nsites; i++) {
		uint64_t at = h->sites[i].pc - CODE;
		uint64_t want =
			h->sites[i].on_taken ? oracle.taken[at] : oracle.met[at];

		if (gate->count[i] == want)
			continue;
		fprintf(stderr, "site at %llu%s: %llu times, not %llu\n",
			(unsigned long long)at, h->sites[i].on_taken ? " taken" : "",
			(unsigned long long)gate->count[i], (unsigned long long)want);
		abort();
	}
	for (uint32_t i = 0; i < TEXT_BYTES; i++)
		assert(!h->is_broken[i] || !h->is_held[i]);
}

static void set_up(void)
{
	static const uint8_t helper[] = {0x48, 0x8d, 0x47, 0x03, 0xc3};
	struct sigaction trap = {.sa_sigaction = note_step, .sa_flags = SA_SIGINFO};
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;

	if (mmap(gate, 0x10000, PROT_READ | PROT_WRITE, flags, -1, 0) != (void *)gate ||
	    mmap((void *)(uintptr_t)(CODE - 4096), REGION,
		 PROT_READ | PROT_WRITE | PROT_EXEC, flags, -1,
		 0) != (void *)(uintptr_t)(CODE - 4096))
		abort();
	sigaction(SIGTRAP, &trap, NULL);
	gate->enter = (uint64_t)(uintptr_t)moved_entry;
	memset((void *)(uintptr_t)CODE, 0xcc, REGION - 4096);
	memcpy((void *)(uintptr_t)HELPER, helper, sizeof(helper));
	for (uint64_t i = 0; i < 33 * 8; i++)
		((uint8_t *)(uintptr_t)POOL)[i] = (uint8_t)(i * 37);
}

/*
 * What lies before and after the function: others, and padding of many lengths. The
 * others never run.
 */
static void surround(struct hooking *h, struct input *in)
{
	static const uint8_t nops[] = {0x90, 0xcc, 0x66, 0x0f};
	uint8_t *text = (void *)(uintptr_t)TEXT, *end = text + BEFORE + h->f->size;
	unsigned before = take(in) % (BEFORE - 1), behind = take(in);
	uint8_t nop = nops[take(in) % ARRAY_LEN(nops)];

	memset(text, 0x55, BEFORE);
	text[before] = behind & 0x80 ? 0x55 : 0xc3; /* it runs on, or not */
	h->before = (struct addr_range){taddr_of(TEXT), taddr_of(TEXT + before + 1)};
	for (unsigned i = before + 1; i + 2 < BEFORE; i += 3) {
		memcpy(text + i, (const uint8_t[]){nop, 0x1f, 0x00}, 3);
		if (nop != 0x0f)
			memset(text + i, nop == 0x66 ? 0x90 : nop, 3);
	}
	if (behind % 16 < 15)
		end[behind % 16] = 0xf9; /* the function may run into it */
}

void fuzz_one(const uint8_t *data, size_t n)
{
	static bool is_set_up;
	struct input in = {data, n, 0};
	struct function f;
	struct hooking h = {.f = &f};
	struct regs start = {.rax = 1, .rdx = 5, .r8 = 7, .r9 = 9}, plain_run,
		    hooked_run;

	if (!is_set_up)
		set_up();
	is_set_up = true;
	make_function(&f, &in);
	start.rcx = take(&in) % 8;
	start.rdi = take(&in);
	start.rsi = take(&in);
	choose_wants(&h, &in);
	split(&h, take(&in) % 4);
	h.has_no_pages = take(&in) % 8 == 1;
	memset((void *)(uintptr_t)CODE, 0xcc, CODE_BYTES);
	memcpy((void *)(uintptr_t)CODE, f.code, f.size);
	surround(&h, &in);
	memset(&oracle, 0, sizeof(oracle));
	oracle.f = &f;
	plain_run = start;
	moved_call(CODE, &plain_run, 0x202 | TRAP_FLAG);
	hook_all(&h);
	memset(gate->count, 0, sizeof(gate->count));
	hooked_run = start;
	moved_call(CODE, &hooked_run, 0x202);
	unmap_pages(&h);
	plain_run.flags &= ~TRAP_FLAG;
	assert(memcmp(&plain_run, &hooked_run, sizeof(plain_run)) == 0);
	check_sites(&h);
}

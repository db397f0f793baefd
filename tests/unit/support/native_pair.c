/* SPDX-License-Identifier: MIT */
#include "tests/unit/support/native_pair.h"
#include "vm/block/stream.h"
#include "vm/native.h"

#include <sched.h>
#include <sys/mman.h>

#define FIRST_SLOT STATE_SLOT_FIRST_THREAD
#define KEPT	   6 /* registers that a function must not change */

#define PAGE	    4096u
#define STACK_PAGES 2u
#define PROBES	    (NATIVE_PAIR_PROBES + 1) /* and ERROR, the last one */

static const char names[] = "\0prov\0mod\0function\0entry\0another_module\0f\0return"
			    "\0\0\0\0\0\0\0\0"; /* VM_NAMES_REST */

#define NAMES_SIZE ((uint32_t)(sizeof(names) + 3) / 4 * 4)

/* The table of all probes, as struct vm_table has it. */
struct pair_table {
	struct vm_table head;
	struct vm_probe probes[PROBES];
	struct vm_enabling enablings[PROBES * 64];
	/* fullnames and names follow the enablings that are used */
};

#define LINKS 8

struct side {
	struct rig *rig;
	struct vm vm[NATIVE_PAIR_THREADS];
	struct ring_reader readers[NATIVE_PAIR_THREADS];
	/* Of the native side, as hook/resident/enter.c has them. */
	struct native_call call[NATIVE_PAIR_THREADS];
	uint64_t bound_for[NATIVE_PAIR_THREADS]; /* state_version() + 1, 0: not bound */
	/* What was learnt at the sites: entries, returns, and those of sets of operands. */
	uint32_t links[NATIVE_PAIR_THREADS][PROBES][LINKS];
};

struct native_pair {
	struct side reference, native;
	unsigned char *table;
	const struct vm_probe *probes;
	const struct probe_operands *sets;
	struct native_code code;
	unsigned char *text; /* of the routines, mapped executable */
	uint64_t threads;    /* identities given so far */
	bool has_changed_registers;
	uint32_t turns, nfinished; /* firings that may be light, and were */
	uint64_t nfirings;
	/* Of the present firing: where it is, and what the target's registers are. */
	uint32_t site;
	uint64_t pushed; /* NATIVE_SITE_PUSHED, or 0 */
	struct regs regs;
	uint64_t uregs[REGS_UREGS + 1];
	uint64_t noted_args[PROBE_OPERANDS_MAX];
	uint32_t faulty_args; /* bit N: argN of the note cannot be read */
	unsigned char *stack; /* between pages that are not there */
};

/* Of the sites: addresses in stubs, and pcs less these. */
static const uint64_t epilogues[LIGHT_RUN_SITES] = {UINT64_C(0x7fff00001000),
						    UINT64_C(0x7fff00002000)};
static const struct native_spot spots[LIGHT_RUN_SITES] = {{-0x123456, 0},
							  {0x6543210, 0x80001234}};

/*
 * Calls the routine with other values in all registers, and stores those that it must
 * leave as they were.
 */
void native_pair_enter(native_routine *routine, struct native_call *c,
		       uint64_t kept[KEPT]);
__asm__(".text\n"
	".type native_pair_enter, @function\n"
	"native_pair_enter:\n"
	"	push %rbx\n"
	"	push %rbp\n"
	"	push %r12\n"
	"	push %r13\n"
	"	push %r14\n"
	"	push %r15\n"
	"	push %rdx\n"
	"	mov %rdi, %rax\n"
	"	mov %rsi, %rdi\n"
	"	mov $0x1111111111111111, %rbx\n"
	"	lea 1(%rbx), %rbp\n"
	"	lea 2(%rbx), %r12\n"
	"	lea 3(%rbx), %r13\n"
	"	lea 4(%rbx), %r14\n"
	"	lea 5(%rbx), %r15\n"
	"	lea 6(%rbx), %rcx\n"
	"	lea 7(%rbx), %rdx\n"
	"	lea 8(%rbx), %rsi\n"
	"	lea 9(%rbx), %r8\n"
	"	lea 10(%rbx), %r9\n"
	"	lea 11(%rbx), %r10\n"
	"	lea 12(%rbx), %r11\n"
	"	call *%rax\n"
	"	mov (%rsp), %rdx\n"
	"	mov %rbx, (%rdx)\n"
	"	mov %rbp, 8(%rdx)\n"
	"	mov %r12, 16(%rdx)\n"
	"	mov %r13, 24(%rdx)\n"
	"	mov %r14, 32(%rdx)\n"
	"	mov %r15, 40(%rdx)\n"
	"	pop %rdx\n"
	"	pop %r15\n"
	"	pop %r14\n"
	"	pop %r13\n"
	"	pop %r12\n"
	"	pop %rbp\n"
	"	pop %rbx\n"
	"	ret\n"
	".size native_pair_enter, . - native_pair_enter\n");

/* ---- making ---- */

static void *map_zeroes(size_t n)
{
	void *p = mmap(NULL, n, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	assert(p != MAP_FAILED);
	return p;
}

static unsigned char *make_table(uint32_t nclauses, const struct probe_operands *sets,
				 uint32_t nsets)
{
	const struct vm_fullname fullnames[PROBES] = {
		{{1, 6, 10, 19}}, {{1, 25, 40, 42}}, {{1, 6, 10, 19}}};
	struct pair_table t = {
		.head = {.nprobes = PROBES,
			 .nenablings = PROBES * nclauses,
			 .names_size = NAMES_SIZE,
			 .noperands = nsets,
			 .error = NATIVE_PAIR_PROBES},
	};
	const size_t bytes =
		sizeof(t) + sizeof(fullnames) + NAMES_SIZE + nsets * sizeof(*sets);
	unsigned char *table = calloc(1, bytes), *end;

	assert(table && nclauses <= 64);
	for (uint32_t i = 0; i < PROBES; i++)
		t.probes[i] = (struct vm_probe){i + 1, i * nclauses, nclauses};
	for (uint32_t i = 0; i < t.head.nenablings; i++)
		t.enablings[i] = (struct vm_enabling){i % nclauses, i + 1};
	memcpy(table, &t, sizeof(t));
	end = table + offsetof(struct pair_table, enablings) +
	      t.head.nenablings * sizeof(struct vm_enabling);
	memcpy(end, fullnames, sizeof(fullnames));
	memcpy(end + sizeof(fullnames), names, sizeof(names));
	if (nsets)
		memcpy(end + sizeof(fullnames) + NAMES_SIZE, sets,
		       nsets * sizeof(*sets));
	return table;
}

uint32_t native_pair_cpu(void)
{
	static int cpu = -1;
	cpu_set_t one;

	if (cpu < 0) {
		cpu = sched_getcpu();
		CPU_ZERO(&one);
		CPU_SET((size_t)cpu, &one);
		assert(sched_setaffinity(0, sizeof(one), &one) == 0);
	}
	return (uint32_t)cpu;
}

static uint32_t cpu_now(void *ctx)
{
	(void)ctx;
	return native_pair_cpu();
}

/* ctx is the world of a side's rig. */
static void count_wake(void *ctx, _Atomic uint32_t *word)
{
	(void)word;
	((struct world *)ctx)->nwakes++;
}

static void start_thread(struct native_pair *p, struct side *side, uint32_t thread)
{
	const struct vm_table *t = (const void *)p->table;
	struct vm *vm = &side->vm[thread];

	*vm = rig_vm(side->rig, FIRST_SLOT + thread, p->threads + thread + 1);
	vm->enablings = (const void *)(p->probes + t->nprobes);
	vm->fullnames = (const void *)(vm->enablings + t->nenablings);
	vm->names = (const void *)(vm->fullnames + t->nprobes);
	vm->names_size = t->names_size;
	vm->error = &p->probes[NATIVE_PAIR_PROBES];
	vm->context = CONTEXT_RESIDENT;
	vm->env.cpu = cpu_now;
	vm->env.wake = count_wake;
	side->bound_for[thread] = 0;
}

static void make_side(struct native_pair *p, struct side *side, const void *image,
		      size_t size, const struct state_config *config)
{
	struct rig *r = side->rig = calloc(1, sizeof(*r));

	assert(r);
	r->image = malloc(size);
	assert(r->image);
	memcpy(r->image, image, size);
	r->state_bytes = state_size(config);
	assert(r->state_bytes);
	r->state = map_zeroes(r->state_bytes);
	r->world.uregs = p->uregs;
	r->world.real_lo = (uintptr_t)p->stack;
	r->world.real_hi = r->world.real_lo + (uint64_t)STACK_PAGES * PAGE;
	assert(state_init(r->state, r->state_bytes, config) == 0);
	for (uint32_t i = 0; i < NATIVE_PAIR_THREADS; i++) {
		state_use_slot(r->state, FIRST_SLOT + i);
		side->readers[i] = (struct ring_reader){
			.state = r->state, .slot = FIRST_SLOT + i, .image = r->image};
		start_thread(p, side, i);
	}
}

static unsigned char *make_stack(void)
{
	const size_t n = (STACK_PAGES + 2) * (size_t)PAGE;
	unsigned char *p = map_zeroes(n), *stack = p + PAGE;

	for (size_t i = 0; i < (size_t)STACK_PAGES * PAGE; i++)
		stack[i] = (unsigned char)(i * 37 + i / 256);
	assert(mprotect(p, PAGE, PROT_NONE) == 0);
	assert(mprotect(p + n - PAGE, PAGE, PROT_NONE) == 0);
	return stack;
}

static void map_text(struct native_pair *p)
{
	if (!p->code.bytes)
		return;
	p->text = map_zeroes(p->code.n);
	memcpy(p->text, p->code.bytes, p->code.n);
	assert(mprotect(p->text, p->code.n, PROT_READ | PROT_EXEC) == 0);
}

struct native_pair *native_pair_noted(void *image, size_t size,
				      const struct state_config *config,
				      const struct probe_operands *sets, uint32_t n)
{
	struct native_pair *p = calloc(1, sizeof(*p));
	struct state_config of_rig = rig_config(image);

	assert(p);
	if (!config)
		config = &of_rig;
	p->table = make_table(program_count(image, SECTION_CLAUSE), sets, n);
	p->probes = (const void *)(p->table + sizeof(struct vm_table));
	p->sets = sets;
	p->stack = make_stack();
	make_side(p, &p->reference, image, size, config);
	make_side(p, &p->native, image, size, config);
	p->threads = NATIVE_PAIR_THREADS;
	native_translate(image, (const void *)p->table, &p->code);
	map_text(p);
	free(image);
	return p;
}

struct native_pair *native_pair_of(void *image, size_t size,
				   const struct state_config *config)
{
	return native_pair_noted(image, size, config, NULL, 0);
}

struct native_pair *native_pair_new(struct builder *b,
				    const struct state_config *config)
{
	struct verify_error e = {0, NULL};
	size_t size;
	void *image = build_image(b, &size);

	if (program_verify(image, size, &e) != 0) {
		fprintf(stderr, "instruction %u: %s\n", e.insn, e.text);
		abort();
	}
	return native_pair_of(image, size, config);
}

static void free_side(struct side *side)
{
	munmap(side->rig->state, side->rig->state_bytes);
	free(side->rig->image);
	free(side->rig);
}

void native_pair_free(struct native_pair *p)
{
	free_side(&p->reference);
	free_side(&p->native);
	if (p->text)
		munmap(p->text, p->code.n);
	native_release(&p->code);
	munmap(p->stack - PAGE, (STACK_PAGES + 2) * (size_t)PAGE);
	free(p->table);
	free(p);
}

/* ---- firing ---- */

static uint32_t routine_of(const struct native_pair *p, uint32_t probe, bool is_return)
{
	const struct native_probe *n = &p->code.probes[probe];

	if (!p->code.bytes)
		return 0;
	return is_return ? n->result : n->entry;
}

uint32_t native_pair_noted_light(const struct native_pair *p, uint32_t set)
{
	return p->code.bytes ? p->code.noted_lights[set] : 0;
}

/* Those of a firing: without arguments a site with a note is like an entry. */
static bool has_note(const struct native_pair *p, const struct native_pair_firing *f)
{
	return f->operands && p->code.bytes && p->code.probes[f->probe].arguments;
}

static uint32_t light_of(const struct native_pair *p, uint32_t probe, bool is_return)
{
	const struct native_probe *n = &p->code.probes[probe];

	if (!p->code.bytes)
		return 0;
	return is_return ? n->light_result : n->light_entry;
}

bool native_pair_has_light(const struct native_pair *p, bool is_return)
{
	return light_of(p, 0, is_return) != 0;
}

uint32_t native_pair_finished(const struct native_pair *p)
{
	return p->nfinished;
}

bool native_pair_has_routine(const struct native_pair *p, bool is_return)
{
	return routine_of(p, 0, is_return) != 0;
}

static uint32_t light_of_firing(const struct native_pair *p,
				const struct native_pair_firing *f)
{
	return has_note(p, f) ? native_pair_noted_light(p, f->operands - 1)
			      : light_of(p, f->probe, f->is_return);
}

static uint32_t routine_of_firing(const struct native_pair *p,
				  const struct native_pair_firing *f)
{
	return has_note(p, f) ? p->code.probes[f->probe].noted
			      : routine_of(p, f->probe, f->is_return);
}

static bool read_word(const struct native_pair *p, uint64_t at, uint32_t size,
		      uint64_t *word)
{
	const uint64_t n = at - (uintptr_t)p->stack;

	*word = 0;
	if (n > (uint64_t)STACK_PAGES * PAGE - size)
		return false;
	memcpy(word, p->stack + n, size);
	return true;
}

/* As the keeper and resident code evaluate them; what is not there is a fault. */
static void evaluate(struct native_pair *p, const struct native_pair_firing *f)
{
	const uint64_t sp = p->regs.rsp + (p->pushed ? 8 : 0);

	p->faulty_args = 0;
	for (uint32_t i = 0; i < PROBE_OPERANDS_MAX; i++) {
		const struct probe_operand *o = &p->sets[f->operands - 1].arg[i];
		uint64_t *value = &p->noted_args[i];
		bool is_there = true;

		if (o->kind == PROBE_OPERAND_MEMORY) {
			is_there = read_word(p, probe_operand_address(o, &p->regs, sp),
					     o->size, value);
			*value = probe_operand_extend(o, *value);
		} else if (o->kind == PROBE_OPERAND_NONE ||
			   o->kind == PROBE_OPERAND_VECTOR) {
			is_there = false;
		} else {
			*value = probe_operand_value(o, &p->regs, sp);
		}
		p->faulty_args |= is_there ? 0 : 1u << i;
	}
}

/* What the firing does not have is noise, the same for both. */
static void set_arguments(struct regs *r, const struct native_pair_firing *f)
{
	if (f->is_return) {
		r->rax = f->args[1];
		r->rdx = f->args[2];
		return;
	}
	r->rdi = f->args[0];
	r->rsi = f->args[1];
	r->rdx = f->args[2];
	r->rcx = f->args[3];
	r->r8 = f->args[4];
	r->r9 = f->args[5];
}

/* Each in both ways to fire: in the upper page, in the lower one, at the end; not on it. */
static uint64_t stack_pointer(const struct native_pair *p, uint64_t turn)
{
	static const uint64_t offsets[] = {PAGE + 64, 2 * PAGE - 8, 40,
					   PAGE + 72, 2 * PAGE,	    UINT64_MAX - 7,
					   PAGE - 8,  PAGE};

	return (uintptr_t)p->stack + offsets[turn / 2 % ARRAY_LEN(offsets)];
}

static void set_place(struct native_pair *p, const struct native_pair_firing *f)
{
	const uint64_t turn = p->nfirings++;
	uint64_t *words = (uint64_t *)(void *)&p->regs;

	memset(&p->regs, 0x5a, sizeof(p->regs));
	for (uint64_t i = 0; i < REGS_SAVED_BYTES / 8; i++)
		words[i] = UINT64_C(0x1112131415161718) * (i + 1) + (turn << 40);
	set_arguments(&p->regs, f);
	p->site = (uint32_t)(turn / 3 % LIGHT_RUN_SITES);
	p->pushed = turn / 5 % 2 ? (uint64_t)NATIVE_SITE_PUSHED << 32 : 0;
	p->regs.rsp = stack_pointer(p, turn);
	p->regs.rip = epilogues[p->site];
	if (f->operands) /* like the frame of a function */
		p->regs.rbp = p->regs.rsp + turn % 7 * 24;
	for (uint32_t i = 0; i < REGS_UREGS; i++)
		p->uregs[i] = regs_ureg(&p->regs, i);
	p->uregs[REGS_UREG_SP] += p->pushed ? 8 : 0;
	p->uregs[REGS_UREG_PC] += (uint64_t)(int64_t)spots[p->site].pc;
	p->uregs[REGS_UREG_PLACE] = spots[p->site].place;
	if (f->operands)
		evaluate(p, f);
}

/* Those of sets with higher numbers are forgotten at once. */
static uint32_t *link_of(struct side *side, const struct native_pair_firing *f)
{
	const uint32_t site = f->operands ? 1 + f->operands : f->is_return;
	uint32_t *links = side->links[f->thread][f->probe];

	links[LINKS - 1] = 0;
	return &links[min_u32(site, LINKS - 1)];
}

/* Whose side that is: there is one call for each thread. */
static struct side *side_of(struct native_call *c, uint32_t *thread)
{
	*thread = c->vm->slot - FIRST_SLOT;
	return (struct side *)(void *)((char *)(c - *thread) -
				       offsetof(struct side, call));
}

static void forget_links(struct native_call *c)
{
	uint32_t thread;
	struct side *side = side_of(c, &thread);

	memset(side->links[thread], 0, sizeof(side->links[thread]));
}

static bool is_bound(const struct native_pair *p, struct side *side, uint32_t thread)
{
	struct native_call *c = &side->call[thread];
	uint64_t version = *state_version(side->rig->state) + 1;

	if (side->bound_for[thread] == version)
		return true;
	memset(c, 0xa5, sizeof(*c));
	c->rekeyed = forget_links;
	c->clock = NULL;
	c->at_fault = NULL;
	c->spots = spots;
	c->probes = p->probes;
	c->nprobes = PROBES;
	if (!native_bind(c, &side->vm[thread]))
		return false;
	forget_links(c);
	side->bound_for[thread] = version;
	return true;
}

/* What the world's clock will show is its time; sometimes it knows none. */
static void set_clock(const struct side *side, uint32_t thread, uint32_t turn,
		      struct tsc_clock *out)
{
	const struct world *w = &side->rig->world;
	const bool is_known = turn % 7 && !side->vm[thread].own_time;

	*out = (struct tsc_clock){.time = w->clock + 1 + w->clock_step,
				  .window = is_known ? UINT64_MAX : 0};
}

/*
 * Every other firing, so that each way finds what the other has done. False: the routine
 * is not light, or has not finished, and the firing is still to be made.
 */
static bool fire_light(struct native_pair *p, const struct native_pair_firing *f)
{
	uint32_t at = light_of_firing(p, f);
	struct tsc_clock *clock;
	struct light_run r;

	if (!at || f->is_interpreted || p->turns++ % 2 ||
	    !is_bound(p, &p->native, f->thread))
		return false;
	light_run_begin(&r, p->turns);
	for (uint32_t i = 0; i < NATIVE_PROCESSOR_REGS; i++)
		r.in[i] = regs_encoded(&p->regs, i);
	r.in_flags &= ~LIGHT_RUN_ALIGNMENT; /* it would fault by words that are not */
	r.site = p->site;
	r.sites[r.site].word =
		light_run_word(f->probe, f->is_return,
			       f->operands ? f->operands : (uint32_t)f->args[0]) |
		p->pushed;
	r.sites[r.site].epilogue = p->regs.rip;
	r.link = *link_of(&p->native, f);
	r.stack_lo = (uintptr_t)p->stack;
	r.stack_hi = r.stack_lo + (uint64_t)STACK_PAGES * PAGE;
	clock = &p->native.call[f->thread].light.clock;
	set_clock(&p->native, f->thread, p->turns / 2, clock);
	light_run(&r, p->text + at, &p->native.call[f->thread]);
	if (r.is_finished && clock->last)
		p->native.rig->world.clock = clock->last;
	p->has_changed_registers |= !light_run_has_kept(&r);
	p->nfinished += (uint32_t)r.is_finished;
	return r.is_finished;
}

static void set_world(const struct native_pair *p, struct side *side,
		      const struct native_pair_firing *f)
{
	struct world *w = &side->rig->world;

	memcpy(w->args, f->args, sizeof(f->args));
	w->faulty_args = 0;
	if (f->operands) {
		memcpy(w->args, p->noted_args, sizeof(w->args));
		w->faulty_args = p->faulty_args;
	}
}

static bool fire_native(struct native_pair *p, const struct native_pair_firing *f)
{
	const uint64_t before = UINT64_C(0x1111111111111111);
	uint32_t at = routine_of_firing(p, f);
	struct native_call *c = &p->native.call[f->thread];
	uint64_t kept[KEPT];

	if (!at || f->is_interpreted || !is_bound(p, &p->native, f->thread))
		return false;
	c->regs = &p->regs;
	c->probe = &p->probes[f->probe];
	c->arg0 = f->args[0];
	c->word = p->pushed;
	c->site = p->site;
	if (has_note(p, f)) {
		if (p->faulty_args & p->code.probes[f->probe].arguments)
			return false;
		memcpy(c->args, p->noted_args, sizeof(c->args));
	}
	set_world(p, &p->native, f); /* it may come to the interpreter */
	native_pair_enter((native_routine *)(uintptr_t)(p->text + at), c, kept);
	if (c->learnt)
		*link_of(&p->native, f) = c->learnt;
	c->learnt = 0;
	for (uint64_t i = 0; i < KEPT; i++)
		if (kept[i] != before + i)
			p->has_changed_registers = true;
	return true;
}

static void interpret(struct native_pair *p, struct side *side,
		      const struct native_pair_firing *f)
{
	set_world(p, side, f);
	vm_fire(&side->vm[f->thread], &p->probes[f->probe], VM_FIRE_NORMAL);
}

void native_pair_fire(struct native_pair *p, const struct native_pair_firing *f)
{
	struct vm *vm = &p->native.vm[f->thread];
	uint32_t rekeyed;

	set_place(p, f);
	interpret(p, &p->reference, f);
	if (fire_light(p, f) || fire_native(p, f))
		return;
	rekeyed = vm_rekeyed(vm);
	interpret(p, &p->native, f);
	if (rekeyed != vm_rekeyed(vm))
		p->native.bound_for[f->thread] = 0;
}

/* ---- events ---- */

/* The first element of an aggregation. */
struct first_element {
	uint32_t agg;
	bool is_found;
	struct agg_mark mark;
};

static void note_first(void *ctx, const struct agg_entry_view *e)
{
	struct first_element *f = ctx;

	if (f->is_found || e->agg != f->agg)
		return;
	f->is_found = true;
	f->mark.key_size = e->key_size;
	f->mark.sequence = e->sequence;
	f->mark.offset = e->offset;
	f->mark.key = memcpy(malloc(e->key_size + 1), e->key, e->key_size);
}

static void remove_first(struct side *side, uint32_t agg)
{
	struct state *s = side->rig->state;

	for (uint32_t i = 0; i < NATIVE_PAIR_THREADS; i++) {
		struct first_element f = {.agg = agg};
		uint32_t tries = 0;

		walk_slot(s, FIRST_SLOT + i, side->rig->image, note_first, &f);
		if (!f.is_found)
			continue;
		f.mark.slot = FIRST_SLOT + i;
		f.mark.agg = agg;
		agg_remove(s, &f.mark, &tries);
		free((void *)(uintptr_t)f.mark.key);
	}
}

static void end_thread(struct native_pair *p, struct side *side, uint32_t thread)
{
	struct state *s = side->rig->state;

	state_release_claims(s, FIRST_SLOT + thread);
	state_forget_thread(s, side->rig->image, FIRST_SLOT + thread,
			    side->vm[thread].thread);
	start_thread(p, side, thread);
}

/* Policies that keep records to the end have no consumer before. */
static void read_records(struct side *side, uint32_t thread)
{
	struct ring_reader *r = &side->readers[thread];
	struct rig *rig = side->rig;

	while (rig->state->config.policy == STATE_SWITCH &&
	       ring_peek(r, &rig->buf, sizeof(rig->buf)) > 0)
		ring_advance(r);
}

static void happen(struct native_pair *p, struct side *side, enum native_pair_event e,
		   uint32_t which)
{
	struct state *s = side->rig->state;

	switch (e) {
	case PAIR_CLEAR:
		agg_clear(s, which);
		break;
	case PAIR_TRUNC:
		agg_trunc(s, which);
		break;
	case PAIR_REMOVE:
		remove_first(side, which);
		break;
	case PAIR_REMOVING:
		remove_first(side, which);
		return;
	case PAIR_KEEP:
		agg_keep(s, FIRST_SLOT + which);
		return;
	case PAIR_THREAD_ENDS:
		end_thread(p, side, which);
		return;
	case PAIR_READ:
		read_records(side, which);
		return;
	case PAIR_SLEEP:
		*state_sleeper(s) = 1;
		return;
	case PAIR_OWN_TIME:
		for (uint32_t i = 0; i < NATIVE_PAIR_THREADS; i++)
			side->vm[i].own_time = which * UINT64_C(0x123456789);
		return;
	default:
		break;
	}
	state_renew(s);
}

void native_pair_event(struct native_pair *p, enum native_pair_event e, uint32_t which)
{
	happen(p, &p->reference, e, which);
	happen(p, &p->native, e, which);
	if (e == PAIR_THREAD_ENDS)
		p->threads += NATIVE_PAIR_THREADS;
}

/* ---- comparing ---- */

struct state *native_pair_state(struct native_pair *p, bool is_native)
{
	return is_native ? p->native.rig->state : p->reference.rig->state;
}

static bool is_same(const struct state *a, const struct state *b, uint64_t at,
		    uint64_t n)
{
	return memcmp(layout_at(a, at), layout_at(b, at), n) == 0;
}

/* Not its scratch memory, tuple and caches. */
static const char *slot_difference(const struct state *a, const struct state *b,
				   uint32_t slot)
{
	const struct slot *x = layout_slot(a, slot), *y = layout_slot(b, slot);
	const uint64_t at = a->slots_at + slot * a->slot_bytes;

	if (memcmp(&x->drops, &y->drops, sizeof(x->drops)) != 0)
		return "drops";
	if (x->tail != y->tail || x->written != y->written ||
	    x->room_taken != y->room_taken || x->first != y->first ||
	    x->head != y->head || x->consumed != y->consumed ||
	    x->room_given != y->room_given)
		return "records";
	if (x->shard_used != y->shard_used || x->shard_data != y->shard_data ||
	    x->shard_kept != y->shard_kept)
		return "bytes of a shard";
	if (x->spare_nominal != y->spare_nominal)
		return "what a slot keeps of dynvarsize";
	if (x->rekeyed != y->rekeyed)
		return "rekeyed";
	if (!is_same(a, b, at + a->locals_at, a->shard_buckets_at - a->locals_at))
		return "clause-locals";
	if (!is_same(a, b, at + a->shard_buckets_at,
		     a->slot_bytes - a->shard_buckets_at))
		return "the table of a shard";
	return NULL;
}

static const char *variables_difference(const struct state *a, const struct state *b)
{
	const struct variables *x = layout_variables(a), *y = layout_variables(b);
	uint64_t cells = min_u64(x->cells.fresh, a->ncells) * CELL_BYTES;

	if (!is_same(a, b, a->globals_at, a->buckets_at - a->globals_at))
		return "globals";
	if (x->nominal != y->nominal)
		return "bytes of dynamic variables";
	if (x->owned != y->owned)
		return "elements of threads";
	if (memcmp(x->claims, y->claims, sizeof(x->claims)) != 0)
		return "claims";
	if (x->cells.top != y->cells.top || x->cells.fresh != y->cells.fresh)
		return "free cells";
	if (!is_same(a, b, a->buckets_at, a->cells_at - a->buckets_at))
		return "buckets of dynamic variables";
	return is_same(a, b, a->cells_at, cells) ? NULL : "cells";
}

/* What lies after a tail is nothing yet, and nothing that may be relied on. */
static void clear_rest(struct state *s, uint32_t slot)
{
	const ring_place tail = layout_slot(s, slot)->tail;
	struct stream_chunk *c = stream_chunk(s, place_chunk(tail));
	uint32_t from = place_offset(tail);

	for (; c; c = stream_chunk(s, c->next), from = 0)
		memset(c->data + from, 0x5a, STREAM_DATA - from);
}

static const char *records_difference(const struct native_pair *p)
{
	struct state *a = p->reference.rig->state, *b = p->native.rig->state;

	if (*state_sleeper(a) != *state_sleeper(b) ||
	    p->reference.rig->world.nwakes != p->native.rig->world.nwakes)
		return "calls of the consumer";
	for (uint32_t i = 0; i < NATIVE_PAIR_THREADS; i++) {
		clear_rest(a, FIRST_SLOT + i);
		clear_rest(b, FIRST_SLOT + i);
	}
	return NULL;
}

const char *native_pair_difference(const struct native_pair *p)
{
	const struct state *a = p->reference.rig->state, *b = p->native.rig->state;
	const struct exchange *x = layout_exchange(a), *y = layout_exchange(b);
	const char *text = variables_difference(a, b);

	if (!text)
		text = records_difference(p);
	for (uint32_t slot = 0; !text && slot < a->config.nslots; slot++)
		text = slot_difference(a, b, slot);
	if (text)
		return text;
	if (p->has_changed_registers)
		return "registers of the caller";
	if (x->chunks.fresh != y->chunks.fresh)
		return "free chunks";
	if (!is_same(a, b, a->pool_at, (uint64_t)x->chunks.fresh * CHUNK_BYTES))
		return "elements of aggregations";
	if (p->reference.rig->world.clock != p->native.rig->world.clock)
		return "how often the clock was read";
	return NULL;
}

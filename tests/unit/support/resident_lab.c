/* SPDX-License-Identifier: MIT */
#include "tests/unit/support/resident_lab.h"

struct lab_wishes lab_wishes;

static const char lab_names[] = "\0fpid1\0prog\0f0\0f1\0f2\0f3\0entry";

static void *lab_map(void *hint, size_t n, int flags)
{
	return mmap(hint, n, PROT_READ | PROT_WRITE,
		    flags | (hint ? MAP_FIXED_NOREPLACE : 0) | MAP_ANONYMOUS, -1, 0);
}

/* The first free place from one address on, in steps. */
static void *lab_map_from(uint64_t at, int64_t step, size_t n)
{
	for (int i = 0; i < 1000; i++, at += (uint64_t)step) {
		void *p = lab_map((void *)(uintptr_t)at, n, MAP_PRIVATE);

		if (p != MAP_FAILED)
			return p;
	}
	abort();
}

static void lab_map_text(struct lab *lab)
{
	const struct resident_text *built = (const void *)resident_bin;
	unsigned char *p = lab_map(NULL, built->gate + RESIDENT_PAGE, MAP_PRIVATE);

	assert(p != MAP_FAILED);
	assert(built->magic == RESIDENT_MAGIC && built->version == RESIDENT_VERSION);
	memcpy(p, resident_bin, built->bytes);
	assert(mprotect(p, built->gate, PROT_READ | PROT_EXEC) == 0);
	lab->text = (const void *)p;
	lab->place.text = (uintptr_t)p;
}

static void lab_map_block(struct lab *lab)
{
	const struct resident_config c = {LAB_SITES, 64, 16, LAB_SHADOWS, LAB_TCBS, 16};
	uint64_t n = resident_lay_out(&lab->view.layout, &c);
	struct resident_gate *gate;

	lab->block = lab_map(NULL, n, MAP_SHARED);
	assert(lab->block != MAP_FAILED);
	lab->view.block = lab->block;
	resident_block_init(lab->block, &lab->view.layout);
	lab->place.block = (uintptr_t)lab->block;
	lab->caches =
		lab_map(NULL, LAB_TCBS * resident_cache_bytes(LAB_SITES), MAP_SHARED);
	assert(lab->caches != MAP_FAILED);
	lab->block->state = lab->place.state = (uintptr_t)lab->state;
	lab->block->user_end = (UINT64_C(1) << 47) - 4096;
	lab->block->pid = (uint32_t)getpid();
	lab->block->uid = getuid();
	lab->block->gid = getgid();
	gate = (void *)(uintptr_t)(lab->place.text + lab->text->gate);
	resident_shared_gate(&lab->view.layout, &lab->place, gate);
}

/* The machine code of the table's probes goes to a mapping of its own. */
static void lab_add_code(struct lab *lab, struct resident_program *p)
{
	void *code;

	if (!lab_wishes.is_native)
		return;
	native_release(&lab->native);
	native_translate(lab->image, (const void *)((const char *)p + p->table_at),
			 &lab->native);
	assert(lab->native.bytes);
	code = lab_map(NULL, lab->native.n, MAP_PRIVATE);
	assert(code != MAP_FAILED);
	memcpy(code, lab->native.bytes, lab->native.n);
	assert(mprotect(code, lab->native.n, PROT_READ | PROT_EXEC) == 0);
	memcpy((char *)p + p->natives_at, lab->native.probes,
	       LAB_PROBES * sizeof(struct native_probe));
	lab->native_at = p->code = (uintptr_t)code;
}

void lab_program(struct lab *lab, size_t more_names)
{
	uint32_t n = program_count(lab->image, SECTION_CLAUSE);
	size_t names = sizeof(lab_names) + more_names;
	size_t table =
		sizeof(struct vm_table) +
		LAB_PROBES * (sizeof(struct vm_probe) + sizeof(struct vm_fullname) +
			      n * sizeof(struct vm_enabling)) +
		names;
	const struct resident_program_sizes sizes = {
		lab->image_bytes, table,
		lab_wishes.is_native ? LAB_PROBES * sizeof(struct native_probe) : 0};
	uint64_t bytes = resident_program_lay_out(NULL, &sizes);
	struct resident_program *p = lab_map(NULL, bytes, MAP_PRIVATE);
	struct vm_table *t;
	struct vm_probe *probes;
	struct vm_enabling *enablings;
	struct vm_fullname *fullnames;

	assert(p != MAP_FAILED);
	resident_program_lay_out(p, &sizes);
	memcpy((char *)p + p->image_at, lab->image, lab->image_bytes);
	t = (void *)((char *)p + p->table_at);
	*t = (struct vm_table){
		LAB_PROBES, LAB_PROBES * n, (uint32_t)names, UINT32_MAX, 0, 0};
	probes = (void *)(t + 1);
	enablings = (void *)(probes + LAB_PROBES);
	fullnames = (void *)(enablings + LAB_PROBES * n);
	for (uint32_t i = 0; i < LAB_PROBES; i++) {
		probes[i] = (struct vm_probe){i + 1, i * n, n};
		fullnames[i] = (struct vm_fullname){{1, 7, 12 + 3 * i, 24}};
		if (lab_wishes.is_apart) {
			probes[i].first_enabling += i % n;
			probes[i].nenablings = 1;
		}
		for (uint32_t k = 0; k < n; k++)
			enablings[i * n + k] = (struct vm_enabling){k, i * n + k + 1};
	}
	memcpy(fullnames + LAB_PROBES, lab_names, sizeof(lab_names));
	lab_add_code(lab, p);
	assert(mprotect(p, bytes, PROT_READ) == 0);
	atomic_store(&lab->block->program, (uintptr_t)p);
	atomic_fetch_add(&lab->block->generation, 1);
	state_renew(lab->state);
}

static void lab_map_state(struct lab *lab)
{
	struct state_config c = rig_config(lab->image);
	struct verify_error e = {0, NULL};

	if (program_verify(lab->image, lab->image_bytes, &e) != 0) {
		fprintf(stderr, "instruction %u: %s\n", e.insn, e.text);
		abort();
	}
	c.nslots = STATE_SLOT_FIRST_THREAD + RESIDENT_LEVELS * LAB_TCBS;
	c.bufsize = 1 << 20;
	if (lab_wishes.aggsize)
		c.aggsize = lab_wishes.aggsize;
	lab->state_bytes = state_size(&c);
	lab->state = lab_map(NULL, lab->state_bytes, MAP_SHARED);
	assert(lab->state != MAP_FAILED);
	assert(state_init(lab->state, lab->state_bytes, &c) == 0);
}

static void lab_map_stubs(struct lab *lab)
{
	uint64_t near = align_down((uintptr_t)hooked_begin, 1 << 20);

	lab->stubs = lab_map_from(near - (64 << 20), -(1 << 20), LAB_LOW_BYTES);
	lab->switches = (void *)(lab->stubs + LAB_LOW_BYTES / 2);
	assert(mprotect(lab->stubs, LAB_LOW_BYTES,
			PROT_READ | PROT_WRITE | PROT_EXEC) == 0);
	lab->code = (struct hook_bytes){.lo = taddr_of((uintptr_t)hooked_begin),
					.data = hooked_begin,
					.n = (size_t)(hooked_end - hooked_begin)};
	lab->module = (struct hook_module){.code = &lab->code, .ncode = 1};
	lab->branches = hook_branches_new(&lab->module);
	assert(lab->branches);
}

struct lab *lab_new(struct builder *b)
{
	struct lab *lab = calloc(1, sizeof(*lab));

	assert(lab);
	lab->image = build_image(b, &lab->image_bytes);
	program_mark_constant(lab->image);
	if (lab_wishes.aggsize) /* a few elements fit, whatever their keys */
		for (uint32_t i = 0; i < program_count(lab->image, SECTION_AGG); i++)
			((struct program_agg *)(uintptr_t)program_agg(lab->image, i))
				->nominal = 16;
	lab_map_text(lab);
	lab_map_state(lab);
	lab_map_block(lab);
	lab_map_stubs(lab);
	lab_program(lab, 0);
	return lab;
}

static void lab_write_text(taddr at, const void *bytes, size_t n)
{
	void *page = (void *)(uintptr_t)align_down(at.v, 4096);
	size_t span = align_up(at.v + n, 4096) - align_down(at.v, 4096);

	assert(mprotect(page, span, PROT_READ | PROT_WRITE | PROT_EXEC) == 0);
	memcpy((void *)(uintptr_t)at.v, bytes, n);
	assert(mprotect(page, span, PROT_READ | PROT_EXEC) == 0);
}

uint32_t lab_hook(struct lab *lab, const void *lo, const void *hi, uint32_t probe)
{
	uint32_t number = lab->nsites++;
	struct lab_site *at = &lab->sites[number];
	const struct hook_entry entry = {.lo = taddr_of((uintptr_t)lo),
					 .hi = taddr_of((uintptr_t)hi)};
	unsigned char *bytes = lab->stubs + number * LAB_STUB_BYTES;
	struct stub_request req = {
		.plan = &at->plan,
		.gate = {offsetof(struct resident_gate, spill),
			 offsetof(struct resident_gate, enter)},
		.site = number,
		.stub = taddr_of((uintptr_t)bytes),
		.switch_word = taddr_of((uintptr_t)&lab->switches[number]),
	};
	struct resident_site *site = resident_site_table(&lab->view);
	struct native_spot *spots = resident_spot_table(&lab->view);

	hook_plan_entry(&lab->module, lab->branches, &entry, &at->plan);
	if (at->plan.reason) {
		fprintf(stderr, "hook: %s\n", hook_reason_text(at->plan.reason));
		abort();
	}
	assert(stub_build(&req, &at->stub) == 0);
	memcpy(bytes, at->stub.bytes, at->stub.n);
	site += number;
	site->epilogue = (uintptr_t)bytes + STUB_EPILOGUE;
	spots[number].pc = (int32_t)(at->plan.site.v - site->epilogue);
	spots[number].place = LAB_PLACE + number;
	atomic_store(&site->hits,
		     resident_alone(probe) | (at->stub.sp_fix ? RESIDENT_PUSHED : 0));
	if (lab->native.nlights && lab->native.probes[probe].light_entry)
		atomic_store(&resident_light_table(&lab->view)[number],
			     lab->native_at + lab->native.probes[probe].light_entry);
	lab->switches[number] = (uintptr_t)bytes + STUB_ON;
	atomic_store(&lab->block->nsites, lab->nsites);
	lab_write_text(at->plan.patch, at->stub.patch, HOOK_JUMP);
	return number;
}

void lab_set_gs(uint64_t base)
{
	assert(syscall(SYS_arch_prctl, ARCH_SET_GS, base) == 0);
}

void lab_use_shared_gate(const struct lab *lab)
{
	lab_set_gs(lab->place.text + lab->text->gate);
}

struct resident_tcb *lab_tcb(struct lab *lab, uint32_t index)
{
	return resident_tcb_at(&lab->view, index);
}

void lab_register(struct lab *lab, uint32_t index, bool is_inert)
{
	const struct resident_thread thread = {
		.identity = 100 + index,
		.tid = (uint32_t)syscall(SYS_gettid),
		.cache = (uintptr_t)lab->caches +
			 index * resident_cache_bytes(LAB_SITES),
		.slot = {resident_slot(index, 0), resident_slot(index, 1)},
	};
	uint64_t base =
		resident_register(&lab->view, &lab->place, index, &thread, is_inert);

	assert(base);
	state_use_slot(lab->state, thread.slot[1]);
	lab_set_gs(base);
}

void lab_free(struct lab *lab)
{
	lab_set_gs(0);
	while (lab->nsites) {
		const struct hook_plan *p = &lab->sites[--lab->nsites].plan;

		lab_write_text(p->patch, p->original, HOOK_JUMP);
	}
	hook_branches_free(lab->branches);
	native_release(&lab->native);
	munmap((void *)(uintptr_t)lab->place.text, lab->text->gate + RESIDENT_PAGE);
	munmap(lab->stubs, LAB_LOW_BYTES);
	munmap(lab->block, lab->view.layout.bytes);
	munmap(lab->caches, LAB_TCBS * resident_cache_bytes(LAB_SITES));
	munmap(lab->state, lab->state_bytes);
	free(lab->image);
	free(lab);
}

static void lab_add_count(void *ctx, const struct agg_entry_view *e)
{
	*(uint64_t *)ctx += e->value[0];
}

uint64_t lab_count(struct lab *lab, uint32_t slot)
{
	uint64_t sum = 0;

	assert(walk_slot(lab->state, slot, lab->image, lab_add_count, &sum) == 0);
	return sum;
}

const struct record *lab_record(struct lab *lab, uint32_t slot)
{
	static union {
		struct record record;
		unsigned char bytes[RING_RECORD_MAX];
	} buf;
	struct ring_reader *r = &lab->readers[slot];
	int rc;

	assert(slot < LAB_READERS);
	r->state = lab->state;
	r->slot = slot;
	r->image = lab->image;
	rc = ring_peek(r, &buf, sizeof(buf));

	assert(rc >= 0);
	if (rc == 0)
		return NULL;
	ring_advance(r);
	return &buf.record;
}

struct builder *lab_counting(void)
{
	struct builder *b = builder_new();
	const insn_t code[] = {
		I(BI, 0, 0, 0, BUILTIN_probefunc),
		I(TUP, 0, 0, 0, 0),
		I(TPS, 0, 0, 0, 0),
		I(LI, 1, 0, 0, 0),
		I(AGGR, 1, 1, 0, 0),
		I(END, 0, 0, 0, 0),
	};

	build_field(b, field_string(256));
	build_agg(b, AGG_count, 0, 1, 1);
	build_clause(b, code, ARRAY_LEN(code));
	return b;
}

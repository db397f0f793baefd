/* SPDX-License-Identifier: MIT */
#include "tests/unit/support/dlang_run.h"

const unsigned char run_memory[RUN_END - RUN_NUMBERS] = {
	0xfe, 0xff, 0xff, 0xff, 0x02, 0x00, 0x00, 0x00, 0xf0, 0xff, 0x34,
	0x12, 1,    2,	  3,	4,    't',  'a',  'r',	'g',  'e',  't',
	0,    0,    0x00, 0x00, 0x01, 0x00, 0,	  0,	0,    0,
};

static int run_read(void *ctx, taddr addr, void *buf, size_t n, taddr *bad)
{
	(void)ctx;
	if (addr.v < RUN_NUMBERS || addr.v > RUN_END || n > RUN_END - addr.v) {
		*bad = addr;
		return STATUS_FAULT;
	}
	memcpy(buf, run_memory + (addr.v - RUN_NUMBERS), n);
	return 0;
}

static int64_t run_read_str(void *ctx, taddr addr, char *buf, size_t n, taddr *bad)
{
	size_t len;

	for (len = 0; len < n; len++) {
		taddr at = {addr.v + len};

		if (run_read(ctx, at, buf + len, 1, bad))
			return STATUS_FAULT;
		if (buf[len] == '\0')
			break;
	}
	return (int64_t)len;
}

/* arg0, arg1 and arg8 are addresses, the others plain numbers. */
static int run_builtin(void *ctx, enum builtin id, uint64_t index, uint64_t *value)
{
	static const uint64_t args[] = {RUN_NUMBERS, RUN_STRING, 7, UINT64_MAX,
					100,	     0,		 3, UINT64_C(1) << 40,
					RUN_POINTER, 9};

	(void)ctx;
	if (id >= BUILTIN_arg0 && id <= BUILTIN_arg9)
		*value = args[index];
	else if (id == BUILTIN_pid)
		*value = 1234;
	else if (id == BUILTIN_uregs && index < 4)
		*value = index + 50;
	else
		return STATUS_RANGE;
	return 0;
}

static int run_builtin_str(void *ctx, enum builtin id, char *buf, size_t cap)
{
	(void)ctx;
	if (id != BUILTIN_execname)
		return STATUS_RANGE;
	snprintf(buf, cap, "prog");
	return 0;
}

void run_compile(struct run *r, const char *text)
{
	static const struct dlang_env env = {0};
	const struct dlang_source src = {
		.text = text, .name = "test.d", .is_file = true};
	struct dlang_program program;

	*r = (struct run){.d = dlang_new(&env), .fault = FAULT_NONE};
	r->status = dlang_compile(r->d, &src, &program, &r->messages);
}

void run_release(struct run *r)
{
	dlang_free(r->d);
	strbuf_release(&r->messages);
	free(r->image);
	free(r->state);
}

const char *run_prepare(struct run *r)
{
	static struct err e;
	struct verify_error ve = {0};
	struct state_config c;
	const struct program_header *h;
	uint64_t size;

	if (dlang_link(r->d, &r->image, &r->image_size, &e))
		return e.text;
	if (program_verify(r->image, r->image_size, &ve))
		return ve.text;
	h = program_header(r->image);
	c = (struct state_config){.nslots = 2,
				  .strsize = h->strsize,
				  .globals = h->globals,
				  .locals = h->locals,
				  .naggs = program_count(r->image, SECTION_AGG),
				  .bufsize = 65536,
				  .aggsize = 1 << 16,
				  .dynvarsize = 1 << 20};
	size = state_size(&c);
	r->state = size ? aligned_alloc(4096, size) : NULL;
	if (!r->state)
		return "no state block";
	memset(r->state, 0, size);
	return state_init(r->state, size, &c) ? "bad state block" : NULL;
}

static void run_take_item(struct run *r, const struct program_action *a,
			  const void *data, size_t n)
{
	size_t pos = 0;

	for (uint32_t i = 0; i < a->nfields; i++) {
		const struct program_field *f =
			program_field(r->image, a->first_field + i);
		struct run_value *out = &r->values[r->nvalues++];
		struct tuple_value v;

		if (tuple_next(data, n, &pos, f, &v)) {
			snprintf(out->text, sizeof(out->text), "(bad tuple)");
			return;
		}
		out->kind = (enum program_kind)f->kind;
		out->number = f->kind == KIND_INT ? v.number : 0;
		snprintf(out->type, sizeof(out->type), "%s",
			 program_string(r->image, f->type));
		if (f->kind == KIND_STR)
			snprintf(out->text, sizeof(out->text), "%.*s", (int)v.len,
				 v.bytes);
	}
}

static void run_take_record(struct run *r, const char *buf)
{
	const struct record *rec = (const void *)buf;
	size_t pos = sizeof(*rec);

	if (rec->kind == RECORD_FAULT) {
		const struct record_fault *f = (const void *)(buf + pos);

		if (r->fault == FAULT_NONE) {
			r->fault = f->fault;
			r->fault_address = f->address;
			r->fault_action = f->action;
		}
		return;
	}
	r->nrecords++;
	while (pos < rec->size) {
		const struct record_item *item = (const void *)(buf + pos);

		run_take_item(r, program_action(r->image, item->action), item + 1,
			      item->size);
		pos += sizeof(*item) + item->size;
	}
}

void run_fire(struct run *r)
{
	static const char names[] = "pid1\0a.out\0main\0entry";
	static _Alignas(8) char buf[RING_RECORD_MAX];
	static const struct vm_fullname fullnames[4] = {[3] = {{0, 5, 11, 16}}};
	struct vm_probe probe = {.id = 4};

	probe.nenablings = program_count(r->image, SECTION_CLAUSE);
	for (uint32_t i = 0; i < probe.nenablings; i++)
		r->enablings[i] = (struct vm_enabling){.clause = i, .epid = i + 1};
	r->vm = (struct vm){.image = r->image,
			    .state = r->state,
			    .slot = STATE_SLOT_KEEPER,
			    .fullnames = fullnames,
			    .names = names,
			    .names_size = sizeof(names),
			    .enablings = r->enablings,
			    .env = {.read = run_read,
				    .read_str = run_read_str,
				    .builtin = run_builtin,
				    .builtin_str = run_builtin_str},
			    .context = CONTEXT_KEEPER,
			    .pid = 1234,
			    .tid = 1235,
			    .thread = 1235};
	vm_fire(&r->vm, &probe, VM_FIRE_NORMAL);
	r->reader = (struct ring_reader){
		.state = r->state, .slot = STATE_SLOT_KEEPER, .image = r->image};
	while (ring_peek(&r->reader, buf, sizeof(buf)) == 1) {
		run_take_record(r, buf);
		ring_advance(&r->reader);
	}
}

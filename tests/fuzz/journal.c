/* SPDX-License-Identifier: MIT */
/*
 * What a target says of a firing that is recorded: an input is its journal
 * (vm/journal.h). Whatever that is, the recording, and a snapshot, can be read to their
 * ends, and have the firing.
 */
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/support/vm_everything.h"
#include "tracer/base/core.h"
#include "tracer/events/event_format.h"
#include "tracer/events/origin.h"
#include "tracer/output/out.h"
#include "tracer/recording/own_events.h"
#include "tracer/recording/read/recording.h"
#include "tracer/recording/write/recorder.h"
#include "vm/record.h"

#define RECORDING   "fuzz_journal.data"
#define SNAPSHOT    RECORDING ".1"
#define JOURNAL_MAX 60000

struct built {
	struct record r;
	struct record_item item;
	uint32_t n;
	unsigned char journal[JOURNAL_MAX + 12];
};

static struct tracer t;
static struct built built;

static uint32_t first_clause(void *ctx, const struct probe *p)
{
	(void)ctx;
	(void)p;
	return 0;
}

/* One action of the image records a text, as that of a recorder clause does. */
static uint32_t make_text_action(void *image)
{
	struct program_action *a =
		(struct program_action *)(uintptr_t)program_action(image, 0);
	struct program_field *f =
		(struct program_field *)(uintptr_t)program_field(image, a->first_field);

	assert(a->nfields == 1);
	f->kind = KIND_STR;
	f->size = JOURNAL_MAX;
	return 0;
}

static void begin(void)
{
	static const char *const name[] = {"fpid7", "prog", "work", "entry"};
	size_t size;

	t.argv0 = t.command = "dtrace";
	t.image = build_everything(&size);
	built.item.action = make_text_action(t.image);
	options_init(&t.options);
	t.options.recording = RECORDING;
	t.options.quiet = true;
	t.out = out_new("dtrace");
	t.out->quiet = &t.options.quiet;
	probes_init(&t.probes);
	probes_enable(&t.probes, probes_add(&t.probes, NULL, name), 0);
	t.probes.recorder = first_clause;
}

/* The firing's record. Its probe is known; what came before is its journal. */
static void build(const uint8_t *data, size_t n)
{
	n = min_u64(n, JOURNAL_MAX);
	built.n = (uint32_t)n;
	memcpy(built.journal, data, n);
	memset(built.journal + n, 0, 12);
	built.item.size = (uint32_t)align_up(sizeof(built.n) + n, 8);
	built.r = (struct record){
		.size = (uint32_t)(sizeof(built.r) + sizeof(built.item)) +
			built.item.size,
		.kind = RECORD_DATA,
		.probe = 1,
		.time = 1000,
		.pid = 7,
		.tid = 7,
	};
}

/* How many firings of the probe the file has. */
static unsigned read_back(const char *path)
{
	struct origin_event event = {.system = "fpid", .name = "entry"};
	const struct rings_config config = {0};
	const struct rings_of of = {0};
	const struct event_field *number;
	struct event_format *format;
	struct strbuf text = {0};
	struct ring_record r;
	struct origin *o;
	unsigned n = 0;
	struct err e;

	assert(recording_open(path, &o, &e) == 0);
	assert(o->calls->format(o, event.system, event.name, &text, &e) == 0);
	assert(event_format_parse(text.data, text.len, 256, &format, &e) == 0);
	assert(o->calls->open(o, &config, &of, &e) == 0);
	assert(o->calls->add(o, &event, &e) == 0);
	number = event_format_find(format, OWN_FIELD_NUMBER);
	while (o->calls->next(o, UINT64_MAX, &r))
		if (r.kind == RING_EVENT) {
			assert(event_field_value(number, 0, r.bytes, r.n) == 1);
			n++;
		}
	assert(o->calls->damage(o, &e) == 0);
	o->calls->close(o, NULL);
	origin_free(o);
	event_format_free(format);
	strbuf_release(&text);
	unlink(path);
	return n;
}

/* Formats that it refuses: the library does not free the last word. */
const char *__lsan_default_suppressions(void);

const char *__lsan_default_suppressions(void)
{
	return "leak:libtraceevent";
}

void fuzz_one(const uint8_t *data, size_t n)
{
	struct err e;

	if (!t.out)
		begin();
	unlink(RECORDING);
	unlink(SNAPSHOT);
	build(data, n);
	assert(recorder_open(&t, &e) == 0);
	recorder_begin(&t, NULL);
	assert(recorder_take(t.recorder, &built.r));
	assert(recorder_snapshot_begin(t.recorder, SNAPSHOT, &e) == 0);
	assert(recorder_take(t.recorder, &built.r));
	assert(recorder_snapshot_end(t.recorder, &e) == 0);
	assert(recorder_take(t.recorder, &built.r));
	assert(recorder_end(t.recorder));
	recorder_free(t.recorder);
	t.processes = NULL;
	assert(read_back(SNAPSHOT) == 2);
	assert(read_back(RECORDING) == 2);
}

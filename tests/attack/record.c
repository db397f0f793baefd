/* SPDX-License-Identifier: MIT */
/* Forged records: well formed, in the own ring, with what other clauses do. */
#include "tests/attack/hostile.h"
#include "tests/attack/shared.h"

#include "vm/block/stream.h"
#include "vm/program.h"
#include "vm/record.h"

#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/syscall.h>

#define BODY_MAX 1024

static const char *const names[] = {
#define ACTION(name) #name,
#include "vm/action.def"
#undef ACTION
};

static uint32_t kind_of(const char *name)
{
	for (uint32_t i = 0; i < ACTION_COUNT; i++)
		if (!strcmp(names[i], name))
			return i;
	return ACTION_COUNT;
}

/* A payload that is well formed: the text in strings, 1 in numbers, zeros elsewhere. */
static uint32_t payload(const void *image, const struct program_action *a,
			const char *text, unsigned char *to)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < a->nfields; i++) {
		const struct program_field *f =
			program_field(image, a->first_field + i);
		uint32_t length =
			f->kind == KIND_STR ? (uint32_t)strlen(text) : f->size;
		uint64_t one = 1;

		if (n + 16 + length > BODY_MAX)
			return 0;
		if (f->kind == KIND_INT) {
			memcpy(to + n, &one, 8);
			n += 8;
			continue;
		}
		memset(to + n, 0, align_up(4 + length, 8));
		memcpy(to + n, &length, 4);
		if (f->kind == KIND_STR)
			memcpy(to + n + 4, text, length);
		n += (uint32_t)align_up(4 + length, 8);
	}
	return n;
}

/* The next chunk of the own ring: one from the far end of the pool, where none is in use. */
static uint32_t another_chunk(struct state *s, struct stream_chunk *c)
{
	static uint32_t used;
	uint32_t link = layout_open(s) - used++;

	poke32(&c->next, link);
	return link;
}

/* n bytes at the place, which moves on. */
static void append_bytes(struct state *s, ring_place *at, const void *bytes, uint32_t n)
{
	const unsigned char *from = bytes;

	while (n) {
		struct stream_chunk *c = stream_chunk(s, place_chunk(*at));
		uint32_t offset = place_offset(*at), m = STREAM_DATA - offset;

		if (m == 0) {
			*at = place_make(another_chunk(s, c), 0);
			continue;
		}
		m = m < n ? m : n;
		poke(c->data + offset, from, m);
		*at = place_make(place_chunk(*at), offset + m);
		from += m;
		n -= m;
	}
}

/* At the end of the own ring, if it has begun. */
static void append(struct state *s, struct slot *slot, const struct record *r,
		   const unsigned char *body)
{
	ring_place at = slot->tail;

	if (!stream_chunk(s, place_chunk(at)) || place_offset(at) > STREAM_DATA)
		return;
	append_bytes(s, &at, r, sizeof(*r));
	append_bytes(s, &at, body, r->size - (uint32_t)sizeof(*r));
	poke64(&slot->written, slot->written + r->size);
	poke64(&slot->tail, at);
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static struct record new_record(uint32_t clause, uint32_t probe)
{
	return (struct record){
		.size = sizeof(struct record),
		.kind = RECORD_DATA,
		.clause = clause,
		.probe = probe,
		.epid = clause + 1,
		.pid = (uint32_t)getpid(),
		.tid = (uint32_t)gettid(),
		.time = now(),
	};
}

static void forge(uint32_t clause, uint32_t action, const char *text, uint32_t probe)
{
	const void *image = own_image();
	struct record r = new_record(clause, probe);
	struct {
		struct record_item item;
		unsigned char payload[BODY_MAX];
	} body = {.item = {.action = action}};

	body.item.size =
		payload(image, program_action(image, action), text, body.payload);
	r.size += (uint32_t)sizeof(body.item) + body.item.size;
	append(own_state(), own_slot(), &r, (const unsigned char *)&body);
}

/*
 * action NAME TEXT [PROBE]: for each clause and each action of that kind in the program a
 * record with both. `_` in the text is a blank.
 */
static const char *action(int argc, char **argv)
{
	const void *image = own_image();
	uint32_t kind = argc > 1 ? kind_of(argv[0]) : ACTION_COUNT;
	uint32_t probe = (uint32_t)number_of(argc, argv, 2);

	if (!image || !own_slot())
		return "no slot";
	for (char *p = argc > 1 ? argv[1] : NULL; p && (p = strchr(p, '_')); p++)
		*p = ' ';
	for (uint32_t a = 0; a < program_count(image, SECTION_ACTION); a++)
		for (uint32_t c = 0; c < program_count(image, SECTION_CLAUSE); c++)
			if (program_action(image, a)->kind == kind)
				forge(c, a, argv[1], probe ? probe : 1);
	return NULL;
}

/* speculations: commits and discards every speculation, in the name of every clause. */
static const char *speculations(int argc, char **argv)
{
	const void *image = own_image();

	(void)argc;
	(void)argv;
	if (!image || !own_slot())
		return "no slot";
	for (uint32_t c = 0; c < program_count(image, SECTION_CLAUSE); c++)
		for (uint32_t i = 0; i < 64; i++) {
			struct record r = new_record(c, 1);

			r.kind = i % 2 ? RECORD_COMMIT : RECORD_DISCARD;
			r.spec = (uint64_t)(i / 16) << 32 | (i / 2 % 8 + 1);
			append(own_state(), own_slot(), &r, NULL);
		}
	return NULL;
}

/* times: records of the far past and the far future, with every word set. */
static const char *times(int argc, char **argv)
{
	static const uint64_t moments[] = {0, 1, ~UINT64_C(0), UINT64_C(1) << 63};

	(void)argc;
	(void)argv;
	if (!own_slot())
		return "no slot";
	for (uint32_t i = 0; i < 64; i++) {
		struct record r = new_record(i / 16, i % 7 ? i : ~i);

		r.time = moments[i % 4];
		r.kind = i % 5 ? RECORD_DATA : i;
		r.cpu = r.epid = r.pid = r.tid = ~i;
		append(own_state(), own_slot(), &r, NULL);
	}
	return NULL;
}

const struct attack record_attacks[] = {
	{"action", action},
	{"speculations", speculations},
	{"times", times},
	{NULL, NULL},
};

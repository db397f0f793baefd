/* SPDX-License-Identifier: MIT */
/* Private to record.c and ring.c of vm/native. */
#ifndef VM_NATIVE_RECORDS_H
#define VM_NATIVE_RECORDS_H

#include "vm/native/translation.h"
#include "vm/block/stream.h"
#include "vm/record.h"

/* What records may take at most. */
struct record_room {
	uint32_t bytes; /* with what a copy writes after its end */
	uint64_t nominal;
};

/* A record that takes more than a part of a chunk would often not fit into it. */
#define RECORD_BYTES_MOST (STREAM_DATA < 2048 ? STREAM_DATA : 2048u)

static inline bool record_is_small(struct record_room room)
{
	return room.bytes <= RECORD_BYTES_MOST && room.nominal <= INT32_MAX;
}

/*
 * ring.c: native_call.record is a place for records that take so much. In a light
 * routine all else is an exit, and native_call.probe is found; in others the firing goes
 * to native_call.interpret().
 */
void ring_reserve_light(struct translation *t, struct record_room room);
void ring_reserve(struct translation *t, struct record_room room);
void ring_put_header(struct translation *t, uint32_t clause);
void ring_publish(struct translation *t, uint32_t clause);

#endif

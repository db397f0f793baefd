/* SPDX-License-Identifier: MIT */
/*
 * What a machine is made of: the events of the provider hwconfig. The machine that runs
 * says it in /proc and /sys, a recording in its header, as far as it goes.
 */
#ifndef TRACER_BASE_HARDWARE_H
#define TRACER_BASE_HARDWARE_H

#include "vm/base/base.h"

/*
 * The things there are, and arg0 ... of each. Texts are marked by a star; what is not
 * known is 0, or an empty text.
 */
enum hardware_kind {
	/* one: release*, version*, machine*, name in the network*, who made it*,
	 * product*, processors that are on line */
	HARDWARE_SYSTEM,
	/* each that is on line: number, core, chip, node, Hz, bytes of its largest cache,
	 * who made it*, model* */
	HARDWARE_PROCESSOR,
	/* one: bytes, bytes of a page, bytes of swap */
	HARDWARE_MEMORY,
	/* each disk: its number as the kernel's events have it, bytes, bytes of a sector,
	 * HARDWARE_ROTATES ..., name*, model*, the byte where it begins, name of the
	 * disk* */
	HARDWARE_DISK,
	/* each part of a disk: the same */
	HARDWARE_PARTITION,
	/* each interface: its number, bytes of a packet at most, bits a second, name*,
	 * whether it is up, address*, driver*, its type (ARPHRD_ETHER ...) */
	HARDWARE_NETWORK,
	HARDWARE_KINDS
};

enum { HARDWARE_ROTATES = 1, HARDWARE_REMOVABLE = 2, HARDWARE_READ_ONLY = 4 };

#define HARDWARE_ARGUMENTS 8

/* One thing. Of a text the address is the value. */
struct hardware_item {
	enum hardware_kind kind;
	uint64_t value[HARDWARE_ARGUMENTS];
	char *text[HARDWARE_ARGUMENTS]; /* owned; NULL: a number */
};

/* In the order of the kinds. Zeroed it is empty. */
struct hardware {
	struct {
		struct hardware_item *data;
		size_t len, cap;
	} list;
};

void hardware_release(struct hardware *h);
/* An item at the end of the list, with all values 0; valid until the next one. */
struct hardware_item *hardware_add(struct hardware *h, enum hardware_kind kind);
/* n characters; without those around them that are blank, or no text. */
void hardware_set_text(struct hardware_item *item, unsigned argument, const char *text,
		       size_t n);

/* Whether the machine says what it has of the kind. root: "", or a folder with proc and
 * sys of another machine. */
bool hardware_is_told(const char *root, enum hardware_kind kind);
/* Adds all that it says. */
void hardware_read(const char *root, struct hardware *h);

#endif

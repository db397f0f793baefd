/* SPDX-License-Identifier: MIT */
/*
 * What a recording says of the machine that was recorded: features of its header, see
 * perf.data-file-format.txt of perf. It has no disks and no interfaces.
 */
#ifndef TRACER_RECORDING_READ_RECORDED_MACHINE_H
#define TRACER_RECORDING_READ_RECORDED_MACHINE_H

#include "tracer/base/hardware.h"

#define RECORDED_PROCESSORS_MAX 65536

/* Zeroed it knows nothing. Texts are owned; NULL: not told. */
struct recorded_machine {
	char *name, *release, *arch, *model, *id;
	uint32_t configured, online; /* processors */
	uint64_t memory;	     /* bytes */
	struct recorded_place {
		uint32_t core, chip;
	} * places; /* nplaces, by the number of the processor; or NULL */
	uint32_t nplaces;
};

void recorded_machine_release(struct recorded_machine *m);
/* Whether it is one of the features that are read here. */
bool recorded_machine_wants(unsigned feature);
/* Takes the n bytes of such a feature, as far as they go. */
void recorded_machine_take(struct recorded_machine *m, unsigned feature,
			   const unsigned char *bytes, size_t n);

bool recorded_machine_tells(const struct recorded_machine *m, enum hardware_kind kind);
/* Adds what it tells. */
void recorded_machine_hardware(const struct recorded_machine *m, struct hardware *out);

#endif

/* SPDX-License-Identifier: MIT */
#include "tracer/recording/read/recorded_machine.h"
#include "tracer/recording/read/cursor.h"
#include "vm/base/host/oom.h"

#include <stdlib.h>
#include <string.h>

enum {
	FEATURE_HOSTNAME = 3,
	FEATURE_RELEASE = 4,
	FEATURE_ARCH = 6,
	FEATURE_NRCPUS = 7,
	FEATURE_CPUDESC = 8,
	FEATURE_CPUID = 9,
	FEATURE_TOTAL_MEM = 10,
	FEATURE_CPU_TOPOLOGY = 13,
};

#define SIBLINGS_MAX 1048576 /* texts of a list */

static void set(char **to, struct cursor r)
{
	struct cursor text = cursor_take_text(&r);
	size_t n = strnlen((const char *)text.at, text.n);

	free(*to);
	*to = oom_calloc(1, n + 1);
	memcpy(*to, text.at, n);
}

/*
 * Two lists of siblings, of which there may be any number, then the core and the chip of
 * each processor. Processors that were off line have -1.
 */
static void set_places(struct recorded_machine *m, struct cursor r)
{
	for (int list = 0; list < 2; list++) {
		uint64_t n = cursor_take(&r, 4);

		for (uint64_t i = 0; i < min_u64(n, SIBLINGS_MAX) && r.n > 0; i++)
			cursor_take_text(&r);
	}
	free(m->places);
	m->nplaces = (uint32_t)min_u64(min_u64(r.n / 8, m->configured),
				       RECORDED_PROCESSORS_MAX);
	m->places = oom_calloc(m->nplaces + (size_t)1, sizeof(*m->places));
	for (uint32_t i = 0; i < m->nplaces; i++) {
		m->places[i].core = (uint32_t)cursor_take(&r, 4);
		m->places[i].chip = (uint32_t)cursor_take(&r, 4);
	}
}

void recorded_machine_release(struct recorded_machine *m)
{
	char *texts[] = {m->name, m->release, m->arch, m->model, m->id};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		free(texts[i]);
	free(m->places);
}

bool recorded_machine_wants(unsigned feature)
{
	return feature == FEATURE_HOSTNAME || feature == FEATURE_RELEASE ||
	       (feature >= FEATURE_ARCH && feature <= FEATURE_TOTAL_MEM) ||
	       feature == FEATURE_CPU_TOPOLOGY;
}

void recorded_machine_take(struct recorded_machine *m, unsigned feature,
			   const unsigned char *bytes, size_t n)
{
	struct cursor r = {.at = bytes, .n = n};

	switch (feature) {
	case FEATURE_HOSTNAME:
		set(&m->name, r);
		break;
	case FEATURE_RELEASE:
		set(&m->release, r);
		break;
	case FEATURE_ARCH:
		set(&m->arch, r);
		break;
	case FEATURE_NRCPUS:
		m->configured = (uint32_t)cursor_take(&r, 4);
		m->online = (uint32_t)cursor_take(&r, 4);
		break;
	case FEATURE_CPUDESC:
		set(&m->model, r);
		break;
	case FEATURE_CPUID:
		set(&m->id, r);
		break;
	case FEATURE_TOTAL_MEM:
		m->memory = cursor_take(&r, 8) * 1024;
		break;
	case FEATURE_CPU_TOPOLOGY:
		set_places(m, r);
		break;
	default:
		break;
	}
}

bool recorded_machine_tells(const struct recorded_machine *m, enum hardware_kind kind)
{
	switch (kind) {
	case HARDWARE_SYSTEM:
		return m->release != NULL;
	case HARDWARE_PROCESSOR:
		return m->online != 0;
	case HARDWARE_MEMORY:
		return m->memory != 0;
	default:
		return false;
	}
}

static void set_text(struct hardware_item *item, unsigned argument, const char *text)
{
	hardware_set_text(item, argument, text ? text : "", text ? strlen(text) : 0);
}

static void add_system(const struct recorded_machine *m, struct hardware *out)
{
	struct hardware_item *item = hardware_add(out, HARDWARE_SYSTEM);

	set_text(item, 0, m->release);
	set_text(item, 1, NULL);
	set_text(item, 2, m->arch);
	set_text(item, 3, m->name);
	set_text(item, 4, NULL);
	set_text(item, 5, NULL);
	item->value[6] = m->online;
}

static bool is_off_line(const struct recorded_machine *m, uint32_t number)
{
	return number < m->nplaces && m->places[number].chip == UINT32_MAX;
}

static void add_processor(const struct recorded_machine *m, uint32_t number,
			  struct hardware *out)
{
	struct hardware_item *item = hardware_add(out, HARDWARE_PROCESSOR);
	const char *id = m->id ? m->id : "";

	item->value[0] = number;
	if (number < m->nplaces) {
		item->value[1] = m->places[number].core;
		item->value[2] = m->places[number].chip;
	}
	/* "GenuineIntel,6,106,6" */
	hardware_set_text(item, 6, id, strcspn(id, ","));
	set_text(item, 7, m->model);
}

/* Which are off line is known if all have a place; else the last ones are. */
static void add_processors(const struct recorded_machine *m, struct hardware *out)
{
	uint32_t n = (uint32_t)min_u64(m->online, RECORDED_PROCESSORS_MAX);

	for (uint32_t i = 0; n > 0 && i < RECORDED_PROCESSORS_MAX; i++) {
		if (is_off_line(m, i))
			continue;
		add_processor(m, i, out);
		n--;
	}
}

void recorded_machine_hardware(const struct recorded_machine *m, struct hardware *out)
{
	if (recorded_machine_tells(m, HARDWARE_SYSTEM))
		add_system(m, out);
	add_processors(m, out);
	if (recorded_machine_tells(m, HARDWARE_MEMORY))
		hardware_add(out, HARDWARE_MEMORY)->value[0] = m->memory;
}

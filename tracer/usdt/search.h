/* SPDX-License-Identifier: MIT */
/*
 * Private to tracer/usdt: one description that is applied to the notes of the objects of
 * one process, or of one file that is listed.
 */
#ifndef TRACER_USDT_SEARCH_H
#define TRACER_USDT_SEARCH_H

#include "symbols/notes.h"
#include "tracer/base/core.h"
#include "tracer/targets/target.h"

struct usdt_search {
	const struct provider *prov;
	struct tracer *t;
	struct target *target;	  /* NULL: the object is only listed */
	const char *const *field; /* 4: of the description; empty ones match all */
	struct match *m;
};

/*
 * Whether the provider field may mean such a provider in this process: the note's name
 * and the process id. Names of other providers are theirs, unless an id is given.
 */
bool usdt_names_provider(const struct usdt_search *s, const char *provider);

/* Makes the probes of the notes of one object that match, and their sites. */
void usdt_apply_object(struct usdt_search *s, struct module *m);

/* The name of a probe as D has it: a dash for two underscores. */
void usdt_probe_name(const char *note, char out[PROBE_NOTE_NAME_MAX + 1]);

/* The number of a set of operands in t->operands; equal ones are stored once. */
uint32_t usdt_operands_add(struct tracer *t, const struct probe_operands *set);

#endif

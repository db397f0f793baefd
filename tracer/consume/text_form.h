/* SPDX-License-Identifier: MIT */
/*
 * The form of the output that DTrace has: text.
 */
#ifndef TRACER_CONSUME_TEXT_FORM_H
#define TRACER_CONSUME_TEXT_FORM_H

#include "tracer/consume/consume_config.h"
#include "tracer/output/form.h"
#include "tracer/consume/record_header.h"

struct text_form {
	struct form form;
	const struct consumer_config *config; /* borrowed */
	struct record_header header;
};

void text_form_init(struct text_form *t, const struct consumer_config *config);
void text_form_release(struct text_form *t);

#endif

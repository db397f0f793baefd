/* SPDX-License-Identifier: MIT */
/*
 * Events without a site (tracer/keeper/keeper.h): samples, events of processes, system
 * calls.
 */
#ifndef TRACER_PROVIDERS_SITELESS_H
#define TRACER_PROVIDERS_SITELESS_H

#include "tracer/base/core.h"

/* Sends the keeper the enabled probes that it fires on such events. */
int siteless_send(struct tracer *t, struct err *e);

#endif

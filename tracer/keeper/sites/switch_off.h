/* SPDX-License-Identifier: MIT */
/*
 * KEEPER_REQ_OFF: takes out the sites whose probes have all been switched off, so that
 * their hits cost as little as possible. That they do not fire any more is sure already
 * (meter_switch_off()).
 */
#ifndef TRACER_KEEPER_SITES_SWITCH_OFF_H
#define TRACER_KEEPER_SITES_SWITCH_OFF_H

#include "tracer/keeper/threads/core.h"
#include "vm/base/host/err.h"

/* probes: uint32_t[], indices in the probe table. In all processes that are traced. */
int switch_off_probes(struct keeper *k, struct link_memory probes, struct err *e);

#endif

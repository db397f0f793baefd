/* SPDX-License-Identifier: MIT */
/* The provider irq: interrupts, and the work that they leave for later. */
#include "tracer/providers/machine/machine.h"

static const struct kernel_view entry = {
	.args = {MACHINE_FIELD("irq"), MACHINE_FIELD("name")}};
static const struct kernel_view result = {
	.args = {MACHINE_FIELD("irq"), MACHINE_FIELD("ret")}};
static const struct kernel_view later = {.args = {MACHINE_FIELD("vec")}};
static const struct kernel_view function = {.args = {MACHINE_FIELD("func")}};

static const struct provider_argument interrupt[] = {{"int", NULL},
						     {"string", "kernel_irq_name"}},
				      number[] = {{"int", NULL}, {"int", NULL}},
				      kind[] = {{"int", NULL},
						{"string", "kernel_softirq_name"}},
				      address[] = {{"uintptr_t", NULL}};

static const struct machine_row rows[] = {
	{"isr-entry", MACHINE_EVENT("irq", "irq_handler_entry", &entry),
	 MACHINE_ARGS(interrupt)},
	{"isr-return", MACHINE_EVENT("irq", "irq_handler_exit", &result),
	 MACHINE_ARGS(number)},
	{"softirq-entry", MACHINE_EVENT("irq", "softirq_entry", &later),
	 MACHINE_ARGS(kind)},
	{"softirq-return", MACHINE_EVENT("irq", "softirq_exit", &later),
	 MACHINE_ARGS(kind)},
	{"softirq-raise", MACHINE_EVENT("irq", "softirq_raise", &later),
	 MACHINE_ARGS(kind)},
	{"tasklet-entry", MACHINE_EVENT("irq", "tasklet_entry", &function),
	 MACHINE_ARGS(address)},
	{"tasklet-return", MACHINE_EVENT("irq", "tasklet_exit", &function),
	 MACHINE_ARGS(address)},
};

MACHINE_PROVIDER(irq);

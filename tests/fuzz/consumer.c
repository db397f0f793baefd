/* SPDX-License-Identifier: MIT */
/*
 * The consumer on a block that somebody hostile wrote into: inputs as block.c's. What
 * it prints goes to /dev/null; what a sanitizer says does not.
 */
#include "tests/fuzz/spoil.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "tracer/consume/consume.h"
#include "tracer/records/sources.h"
#include "vm/base/host/vec.h"

/* Of the sanitizers, where they are. */
void __sanitizer_set_report_fd(void *fd) __attribute__((weak));

static struct spoilt block;
static struct probes probes;
static struct out *out;

/* The same clauses on the same probes as the machine of the block has them. */
static void enable_clauses(void)
{
	const struct rig *r = block.rig;
	const struct vm_probe *fired[] = {&r->probe, &r->error};

	for (size_t i = 0; i < ARRAY_LEN(fired); i++) {
		struct probe *p = probes_get(&probes, fired[i]->id);

		for (uint32_t k = 0; k < fired[i]->nenablings; k++) {
			const struct vm_enabling *e =
				&r->enablings[fired[i]->first_enabling + k];

			probes_enable(&probes, p->id, e->clause);
			*(p->nenablings > 1 ? &p->enablings.list[k]
					    : &p->enablings.one) = *e;
		}
	}
}

static void begin(void)
{
	static const char *const functions[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	int report = dup(STDERR_FILENO);

	block = spoilt_new();
	probes_init(&probes);
	for (size_t i = 0; i < ARRAY_LEN(functions); i++) {
		const char *const names[] = {"prov", "mod", functions[i], "name"};

		probes_add(&probes, NULL, names);
	}
	enable_clauses();
	if (__sanitizer_set_report_fd)
		__sanitizer_set_report_fd((void *)(intptr_t)report);
	dup2(null, STDERR_FILENO);
	out = out_new("dtrace");
	out->fd = null;
}

void fuzz_one(const uint8_t *data, size_t n)
{
	struct options options;
	struct consumer_config config;
	struct sources *sources;
	struct consumer *c;

	if (!out) {
		begin();
		fuzz_one(data, 0);
	}
	spoil(&block, data, n);
	options_init(&options);
	config = (struct consumer_config){
		.command = "dtrace",
		.image = block.rig->image,
		.probes = &probes,
		.options = &options,
		.out = out,
	};
	state_use_slot(block.rig->state, block.rig->state->config.nslots - 1);
	sources = sources_new(block.rig->state, block.rig->image);
	config.sources = sources;
	c = consumer_new(&config);
	consumer_pass(c, 0);
	/* What the machine wrote is not rejected: else nothing is tried here. */
	if (n == 0)
		assert(atomic_load(&state_drops(block.rig->state, block.rig->vm.slot)
					    ->forged) == 0);
	vm_fire(&block.rig->vm, &block.rig->probe, VM_FIRE_END);
	consumer_pass(c, 0);
	consumer_report_drops(c);
	consumer_print_aggregations(c);
	consumer_free(c);
	sources_free(sources);
	options_release(&options);
}

/* SPDX-License-Identifier: MIT */
/*
 * Every instruction of this machine's C library, found by a linear sweep of
 * its .text: none may be undecodable, and each must be either planned (then
 * its copy can be made) or refused with a reason.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracer/keeper/space/step.h"
#include "vm/base/status.h"

struct code {
	const uint8_t *bytes;
	size_t n;
	taddr addr;
	void *map;
	size_t map_size;
};

static void map_libc(struct code *c)
{
	struct stat st;
	Dl_info info;
	int fd;

	assert_int_not_equal(dladdr((void *)(uintptr_t)&getppid, &info), 0);
	fd = open(info.dli_fname, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	c->map_size = (size_t)st.st_size;
	c->map = mmap(NULL, c->map_size, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_true(c->map != MAP_FAILED);
	close(fd);
}

static void find_text(struct code *c)
{
	const uint8_t *file = c->map;
	const Elf64_Ehdr *eh = c->map;
	const Elf64_Shdr *sections = (const void *)(file + eh->e_shoff);
	const char *names = (const char *)file + sections[eh->e_shstrndx].sh_offset;

	assert_memory_equal(eh->e_ident, ELFMAG, SELFMAG);
	for (unsigned i = 0; i < eh->e_shnum; i++) {
		if (strcmp(names + sections[i].sh_name, ".text") != 0)
			continue;
		c->bytes = file + sections[i].sh_offset;
		c->n = sections[i].sh_size;
		c->addr = taddr_of(sections[i].sh_addr);
	}
	assert_non_null(c->bytes);
}

/* A copy is as long as it says, or out of reach only for a rip-relative operand. */
static void check_copy(const struct insn *in, int64_t distance)
{
	uint8_t out[STEP_SLOT_MAX], len;
	int n = step_build_slot(in, taddr_add(in->addr, distance), out, &len);

	if (n == STATUS_RANGE) {
		assert_true(in->rip_relative && !in->addr32);
		return;
	}
	assert_true(n >= in->len && n <= STEP_SLOT_MAX);
	assert_int_equal(len, in->len);
}

static enum step_how check_plan(const struct insn *in)
{
	const char *reason = "unset";
	enum step_how how = step_plan(in, &reason);

	if (how == STEP_REFUSE) {
		assert_non_null(reason);
		assert_true(reason[0] != '\0');
		return how;
	}
	assert_null(reason);
	if (how == STEP_XOL) {
		check_copy(in, 0x10000000);
		check_copy(in, 0x700000000000);
	}
	return how;
}

static void tell_undecodable(const struct code *c, size_t at)
{
	char text[3 * INSN_MAX + 1] = "";

	for (size_t i = 0; i < INSN_MAX && at + i < c->n; i++)
		snprintf(text + 3 * i, sizeof(text) - 3 * i, " %02x", c->bytes[at + i]);
	print_message("undecodable at %lx:%s\n", (unsigned long)(c->addr.v + at), text);
}

static void test_libc(void **state)
{
	size_t count[STEP_REFUSE + 1] = {0}, undecodable = 0, at = 0;
	struct code c = {0};
	struct insn in;

	(void)state;
	map_libc(&c);
	find_text(&c);
	while (at < c.n) {
		taddr pc = taddr_add(c.addr, (int64_t)at);

		if (decode(c.bytes + at, c.n - at, pc, &in) == 0) {
			count[check_plan(&in)]++;
			at += in.len;
		} else {
			tell_undecodable(&c, at++);
			undecodable++;
		}
	}
	print_message("emulated %zu, copied %zu, refused %zu, undecodable %zu\n",
		      count[STEP_EMULATE], count[STEP_XOL], count[STEP_REFUSE],
		      undecodable);
	assert_int_equal(undecodable, 0);
	assert_true(count[STEP_XOL] > 10000 && count[STEP_EMULATE] > 10000);
	assert_true(count[STEP_REFUSE] * 1000 < count[STEP_XOL]);
	munmap(c.map, c.map_size);
}

/* Any bytes at all: no read past their end, and what decodes is planned or refused. */
static void test_noise(void **state)
{
	uint64_t x = 0x9e3779b97f4a7c15;
	struct insn in;

	(void)state;
	for (unsigned round = 0; round < 200000; round++) {
		size_t n = round % (INSN_MAX + 2);
		uint8_t *bytes = malloc(n + 1); /* a sanitizer watches its end */

		assert_non_null(bytes);
		for (size_t i = 0; i < n; i++) {
			x = x * 6364136223846793005 + 1442695040888963407;
			bytes[i + 1] = (uint8_t)(x >> 56);
		}
		if (decode(bytes + 1, n, taddr_of(0x401000), &in) == 0) {
			assert_in_range(in.len, 1, n);
			check_plan(&in);
		}
		free(bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_libc),
		cmocka_unit_test(test_noise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

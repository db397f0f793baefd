/* SPDX-License-Identifier: MIT */
/* Profiles: what is shared, what is cut, and what is left out of one that is too large. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <profile.pb-c.h>
#include <zlib.h>

#include "symbols/symbols.h"
#include "tracer/pictures/profile.h"

#define UNPACKED (16u << 20)

/* Writes the profile, and reads it back. */
static Pprof__Profile *read_back(struct profile *p)
{
	const struct profile_facts facts = {.has_lines = true, .time = 5};
	uint8_t *bytes = malloc(UNPACKED);
	struct strbuf file = {0};
	Pprof__Profile *message;
	z_stream z = {0};

	assert_true(profile_write(p, &facts, &file));
	z.next_in = (Bytef *)file.data;
	z.avail_in = (uInt)file.len;
	z.next_out = bytes;
	z.avail_out = UNPACKED;
	assert_int_equal(inflateInit2(&z, MAX_WBITS + 16), Z_OK);
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	message = pprof__profile__unpack(NULL, z.total_out, bytes);
	assert_non_null(message);
	inflateEnd(&z);
	strbuf_release(&file);
	free(bytes);
	return message;
}

static struct profile *new_profile(void)
{
	struct profile *p = profile_new(1);

	profile_value_type(p, 0, "samples", "count");
	return p;
}

static void test_shared(void **state)
{
	struct module library = {.name = "l",
				 .path = "/l",
				 .lo = {1},
				 .hi = {2},
				 .build_id = {0xab, 0xcd},
				 .build_id_size = 2};
	struct module exe = {.name = "x", .is_exe = true};
	const struct ustack_frame leaf = {
		.address = 0x100, .function = "leaf", .object = &library};
	const struct ustack_frame inlined = {.address = 0x200,
					     .function = "small",
					     .object = &exe,
					     .is_inlined = true,
					     .file = "f.c",
					     .line = 3};
	const struct ustack_frame outer = {.address = 0x200,
					   .function = "outer",
					   .object = &exe,
					   .is_return = true};
	struct profile *p = new_profile();
	Pprof__Profile *m;

	(void)state;
	for (int i = 0; i < 2; i++) {
		profile_add_frame(p, &leaf);
		profile_add_frame(p, &inlined);
		profile_add_frame(p, &outer);
		profile_end_stack(p, 0, 7 + i);
	}
	m = read_back(p);
	assert_int_equal(m->n_sample, 2);
	assert_int_equal(m->sample[1]->value[0], 8);
	assert_int_equal(m->n_location, 2);
	assert_int_equal(m->n_function, 3);
	assert_int_equal(m->n_mapping, 2);
	/* the program first, whichever was met first */
	assert_int_equal(m->mapping[0]->id, 2);
	assert_string_equal(m->string_table[m->mapping[1]->build_id], "abcd");
	assert_int_equal(m->location[1]->mapping_id, 2);
	assert_int_equal(m->location[1]->address, 0x1ff);
	assert_int_equal(m->location[1]->n_line, 2);
	assert_int_equal(m->location[1]->line[0]->line, 3);
	assert_string_equal(
		m->string_table[m->function[m->location[1]->line[1]->function_id - 1]
					->name],
		"outer");
	pprof__profile__free_unpacked(m, NULL);
	profile_free(p);
}

/* Names as long and as many as a target likes. */
static void test_limits(void **state)
{
	struct profile *p = new_profile();
	char *name = malloc(5001);
	Pprof__Profile *m;
	size_t most = 0;
	uint64_t stacks = 0;

	(void)state;
	memset(name, '\xff', 5000); /* each byte becomes four */
	name[5000] = '\0';
	while (!profile_left_out(p) && stacks < 100000) {
		struct ustack_frame f = {.address = stacks, .function = name};

		memcpy(name, &stacks, sizeof(stacks) - 1);
		for (size_t i = 0; i < sizeof(stacks); i++)
			name[i] = (char)(name[i] | 0x80);
		name[0] = (char)('a' + stacks % 26);
		name[1] = (char)('a' + stacks / 26 % 26);
		name[2] = (char)('a' + stacks / 676 % 26);
		name[3] = (char)('a' + stacks / 17576);
		profile_add_frame(p, &f);
		profile_end_stack(p, 0, 1);
		stacks++;
	}
	assert_int_equal(profile_left_out(p), 1);
	assert_int_equal(profile_stacks(p), stacks - 1);
	assert_true(stacks < PROFILE_TEXT / PROFILE_NAME);
	profile_free(p);

	p = new_profile();
	profile_add_label(p, "key1", name, 5000);
	profile_end_stack(p, 0, 1);
	m = read_back(p);
	for (size_t i = 0; i < m->n_string_table; i++) {
		size_t n = strlen(m->string_table[i]);

		most = n > most ? n : most;
	}
	assert_true(most > PROFILE_NAME && most <= 4 * PROFILE_NAME + 3);
	pprof__profile__free_unpacked(m, NULL);
	profile_free(p);
	free(name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shared),
		cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

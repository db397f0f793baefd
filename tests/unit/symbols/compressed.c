/* SPDX-License-Identifier: MIT */
/*
 * Compressed sections: what is expanded, what is refused, and unwind tables in them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sys/mman.h>
#include <zlib.h>
#include <zstd.h>

#include "symbols/elf/compressed.h"
#include "symbols/symbols.h"
#include "tests/unit/support/symbols_build.h"
#include "vm/base/base.h"
#include "vm/base/host/vec.h"

#define CONTENT (1 << 16)
#define ZSTD	2 /* ELFCOMPRESS_ZSTD */

/* One section of a file, by how it is changed; its content is CONTENT bytes of 'x'. */
struct form {
	const char *what;
	uint32_t type;	/* 0: without a header */
	int64_t more;	/* that the header claims */
	size_t cut;	/* bytes that are missing at the end */
	size_t damaged; /* offset of a byte that is wrong; 0: none */
	bool is_gnu;	/* .zdebug_frame */
	bool is_readable;
};

static const struct form forms[] = {
	{.what = "not compressed", .is_readable = true},
	{.what = "zlib", .type = ELFCOMPRESS_ZLIB, .is_readable = true},
	{.what = "zstd", .type = ZSTD, .is_readable = true},
	{.what = "GNU", .type = ELFCOMPRESS_ZLIB, .is_gnu = true, .is_readable = true},
	{.what = "unknown", .type = 77},
	{.what = "claims less", .type = ELFCOMPRESS_ZLIB, .more = -1},
	{.what = "claims nothing", .type = ELFCOMPRESS_ZLIB, .more = -CONTENT},
	{.what = "claims more", .type = ELFCOMPRESS_ZLIB, .more = 1},
	{.what = "claims 64 TiB", .type = ELFCOMPRESS_ZLIB, .more = INT64_C(1) << 46},
	{.what = "claims all", .type = ELFCOMPRESS_ZLIB, .more = -CONTENT - 1},
	{.what = "GNU claims 64 TiB",
	 .type = ELFCOMPRESS_ZLIB,
	 .more = INT64_C(1) << 46,
	 .is_gnu = true},
	{.what = "zstd claims less", .type = ZSTD, .more = -1},
	{.what = "zstd claims more", .type = ZSTD, .more = 1},
	{.what = "zstd claims 64 TiB", .type = ZSTD, .more = INT64_C(1) << 46},
	{.what = "cut", .type = ELFCOMPRESS_ZLIB, .cut = 5},
	{.what = "zstd is cut", .type = ZSTD, .cut = 5},
	{.what = "damaged",
	 .type = ELFCOMPRESS_ZLIB,
	 .damaged = sizeof(Elf64_Chdr) + 5},
	{.what = "zstd is damaged", .type = ZSTD, .damaged = sizeof(Elf64_Chdr)},
	{.what = "only a header", .type = ELFCOMPRESS_ZLIB, .cut = CONTENT},
	{.what = "zstd, only a header", .type = ZSTD, .cut = CONTENT},
	{.what = "no header", .type = ELFCOMPRESS_ZLIB, .cut = CONTENT + 1},
};

/* Headers, then the names, then the section. */
struct file {
	Elf64_Ehdr header;
	Elf64_Shdr sections[3];
	char names[32];
	uint8_t bytes[CONTENT + 256];
};

static size_t put_header(const struct form *form, uint8_t *to)
{
	uint64_t claimed = (uint64_t)(CONTENT + form->more);
	Elf64_Chdr h = {.ch_type = form->type, .ch_size = claimed, .ch_addralign = 1};

	if (!form->is_gnu) {
		memcpy(to, &h, sizeof(h));
		return sizeof(h);
	}
	memcpy(to, "ZLIB", 4);
	for (int i = 0; i < 8; i++)
		to[4 + i] = (uint8_t)(claimed >> (56 - 8 * i));
	return 12;
}

/* Returns the size of the section's bytes. */
static size_t put_bytes(const struct form *form, uint8_t *to)
{
	static uint8_t content[CONTENT];
	size_t n = put_header(form, to);
	uLongf room = CONTENT;

	memset(content, 'x', sizeof(content));
	if (!form->type) {
		memcpy(to, content, CONTENT);
		return CONTENT;
	}
	if (form->type == ZSTD) {
		room = ZSTD_compress(to + n, room, content, CONTENT, 3);
		assert_false(ZSTD_isError(room));
	} else {
		assert_int_equal(compress(to + n, &room, content, CONTENT), Z_OK);
	}
	to[form->damaged] ^= form->damaged ? 0xff : 0;
	if (form->cut < CONTENT)
		return n + room - form->cut;
	return n - (form->cut - CONTENT);
}

static void make_file(const struct form *form, struct elf_file *f)
{
	static const Elf64_Ehdr header = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			    EV_CURRENT},
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(header),
		.e_shoff = offsetof(struct file, sections),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = 3,
		.e_shstrndx = 1,
	};
	static struct file file;
	int fd = memfd_create("compressed", MFD_CLOEXEC);
	struct err e;

	memset(&file, 0, sizeof(file));
	file.header = header;
	memcpy(file.names, "\0.debug_frame\0.zdebug_frame", 28);
	file.sections[1] = (Elf64_Shdr){.sh_type = SHT_STRTAB,
					.sh_offset = offsetof(struct file, names),
					.sh_size = sizeof(file.names)};
	file.sections[2] = (Elf64_Shdr){
		.sh_name = form->is_gnu ? 14 : 1,
		.sh_type = SHT_PROGBITS,
		.sh_flags = form->type && !form->is_gnu ? SHF_COMPRESSED : 0,
		.sh_offset = offsetof(struct file, bytes),
		.sh_size = put_bytes(form, file.bytes)};
	assert_int_equal(write(fd, &file, sizeof(file)), sizeof(file));
	assert_int_equal(elf_open(f, fd, form->what, &e), 0);
}

static void test_forms(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
		const struct form *form = &forms[i];
		struct elf_file f;
		uint64_t size;
		uint8_t *out;

		make_file(form, &f);
		out = compressed_read(&f, &f.sections[2], &size);
		if (form->is_readable != (out && size == CONTENT && out[0] == 'x' &&
					  out[CONTENT - 1] == 'x'))
			fail_msg("%s: %llu bytes", form->what,
				 (unsigned long long)size);
		assert_true(out || size == 0);
		assert_true(f.budget->spent <= f.budget->max);
		free(out);
		elf_release(&f);
	}
}

/* ---- unwind tables ---- */

static void read_rows(const char *name, struct module_cfi_rows *out)
{
	struct module *m;
	struct err e;

	assert_int_equal(module_read_file(in_dir(name), 0x10000, &m, &e), 0);
	assert_int_equal(module_read_cfi_rows(m, out, &e), 0);
	module_free(m);
}

/* Code of which .eh_frame knows nothing, beside the startup code, which it knows. */
static void test_unwind_tables(void **state)
{
	static const char *const ways[] = {"zlib", "zlib-gnu"};
	struct module_cfi_rows none, plain, packed;
	char command[256];

	(void)state;
	assert_true(compile("plain",
			    "int f(int n) { volatile int k = n; return k; }\n"
			    "int main(void) { return f(0); }\n",
			    "-O0 -gdwarf-4 -fno-asynchronous-unwind-tables"));
	assert_true(shell("objcopy -R .debug_frame plain none"));
	read_rows("none", &none);
	read_rows("plain", &plain);
	assert_true(none.len > 2);
	assert_true(plain.len >= none.len + 6); /* three rows for each function */
	for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
		snprintf(command, sizeof(command),
			 "objcopy --compress-debug-sections=%s plain packed && "
			 "readelf -SW packed | grep -qE ' [.]zdebug_frame|"
			 "[.]debug_frame .* C '",
			 ways[i]);
		assert_true(shell(command));
		read_rows("packed", &packed);
		assert_int_equal(packed.len, plain.len);
		assert_memory_equal(packed.data, plain.data,
				    plain.len * sizeof(*plain.data));
		vec_release(&packed);
	}
	vec_release(&none);
	vec_release(&plain);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_unwind_tables),
	};

	return cmocka_run_group_tests(tests, work_dir_make, work_dir_remove);
}

/* SPDX-License-Identifier: MIT */
/* The text of an image, line by line. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/support/vm_everything.h"
#include "vm/base/host/strbuf.h"

/* Lines that the dump of an image with everything has, in this order. */
static const char *const lines[] = {
	"image strsize 256 globals 296 locals 1\n",
	"var 0 v i32\n",
	"var 1 v str256\n",
	"var 2 v bytes12\n",
	"var 3 this->v i64\n",
	"var 4 self->v u64\n",
	"var 5 v[] (i32, str256) i64\n",
	"var 6 self->v[] (bytes12) bytes12\n",
	"agg 0 @(str256) count\n",
	"agg 6 @() lquantize 0xa0005ffffffec\n",
	"action trace#0 (i16)\n",
	"action printf#1 (i64, str256, bytes12) \"%d \\\"%s\\\"\\n\"\n",
	"action printa#2 () @ @ @ @ @ @ @ @ @\n",
	"action exit#3 (i32)\n",
	"clause 0 line 1 contexts FKR\n",
	"   0  li   r0, -7  ; action 0\n",
	"   1  lc   r1, 0x123456789abcdef\n",
	"   2  ls   r2, \"hello\"\n",
	"  21  exts r4, r0, 2\n",
	"  30  jz   r5, ->32  ; action 1\n",
	"  31  jmp  ->33\n",
	"  35  call r8, r6, n2, copyin()\n",
	"  37  ld   r9, r8, 8, 16\n",
	"  38  uld  r9, r6, s4, 4\n",
	"  41  bi   r12, arg0\n",
	"  43  bix  r12, r13, uregs\n",
	"  44  stg  r0, v\n",
	"  58  end\n",
	"clause 1 line 1 contexts FKR\n",
	"   2  tup\n",
	"   3  ldd  r2, keep, self->v\n",
	"   5  std  r2, self->v\n",
	"  29  aggr r0, r0, @\n",
	"clause 2 line 1 contexts FKR records\n",
	"   0  rece\n",
	"   4  rec  trace#0\n",
	"  14  tpb  r3, 12\n",
	"  25  stop\n",
};

static void test_lines(void **state)
{
	struct strbuf out = {0};
	size_t size;
	void *image = build_everything(&size);
	const char *at;

	(void)state;
	dump_image(image, &out);
	at = out.data;
	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		const char *found = strstr(at, lines[i]);

		if (!found || (found != out.data && found[-1] != '\n'))
			fail_msg("no line %sin\n%s", lines[i], out.data);
		at = found + strlen(lines[i]);
	}
	strbuf_release(&out);
	free(image);
}

/* An image that would not be verified can be looked at all the same. */
static void test_bad_numbers(void **state)
{
	struct builder *b = builder_new();
	const insn_t code[] = {
		99,
		I(LC, 0, 0, 0, 5),
		I(LS, 0, 0, 0, -1),
		I(LDG, 0, 0, 0, 9),
		I(BI, 0, 0, 0, 200),
		I(CALL, 0, 0, 0, 77),
		I(AGGR, 0, 0, 0, 3),
		I(REC, 0, 0, 0, 4),
	};
	struct strbuf out = {0};
	size_t size;
	void *image;

	(void)state;
	build_clause(b, code, ARRAY_LEN(code));
	image = build_image(b, &size);
	dump_image(image, &out);
	assert_non_null(strstr(out.data, "   0  ? 0x63\n"));
	assert_non_null(strstr(out.data, "const?5\n"));
	assert_non_null(strstr(out.data, "var?9\n"));
	assert_non_null(strstr(out.data, "?()\n"));
	strbuf_release(&out);
	free(image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_bad_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

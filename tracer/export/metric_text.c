/* SPDX-License-Identifier: MIT */
#include "tracer/export/metric_text.h"
#include "tracer/base/text.h"
#include "vm/base/hash.h"
#include "vm/base/text/decimal_point.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS_MAX 17 /* so many decimal digits tell all doubles apart */
#define FIXED_MAX  6  /* exponents from here on are written */

void metric_name(struct strbuf *to, const char *name)
{
	static const char *const kept[] = {"_total",  "_created", "_count", "_sum",
					   "_bucket", "_info",	  "_gsum",  "_gcount"};
	size_t n = strlen(name);

	strbuf_printf(to, "dtrace_%s", strcmp(name, "_") == 0 ? "aggregation" : name);
	for (size_t i = 0; i < ARRAY_LEN(kept); i++) {
		size_t k = strlen(kept[i]);

		if (n >= k && strcmp(name + n - k, kept[i]) == 0) {
			strbuf_putc(to, '_');
			return;
		}
	}
}

static void add_quoted(struct strbuf *to, const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (p[i] == '\n') {
			strbuf_puts(to, "\\n");
			continue;
		}
		if (p[i] == '"' || p[i] == '\\')
			strbuf_putc(to, '\\');
		strbuf_putc(to, p[i]);
	}
}

void metric_label(struct strbuf *to, const char *bytes, size_t n, uint64_t salt)
{
	struct strbuf text = {0};
	size_t shown = n < METRIC_LABEL_MAX ? n : METRIC_LABEL_MAX;

	strbuf_puts(&text, "");
	text_add_escaped(&text, bytes, shown, TEXT_CONTROLS_ESCAPED);
	if (shown < n)
		strbuf_printf(&text, "...#%016" PRIx64, hash_bytes(bytes, n, salt));
	add_quoted(to, text.data, text.len);
	strbuf_release(&text);
}

void metric_float(struct strbuf *to, double x)
{
	char text[40];
	int digits = 1, exponent;

	do {
		snprintf(text, sizeof(text), "%.*e", digits - 1, x);
	} while (strtod(text, NULL) != x && ++digits <= DIGITS_MAX);
	exponent = atoi(strchr(text, 'e') + 1);
	if (exponent >= FIXED_MAX || exponent < -4) {
		decimal_point_set(text);
		strbuf_puts(to, text);
		return;
	}
	snprintf(text, sizeof(text), "%.*f",
		 digits - 1 - exponent > 0 ? digits - 1 - exponent : 1, x);
	decimal_point_set(text);
	strbuf_puts(to, text);
}

/* SPDX-License-Identifier: MIT */
#include "cmd/check_table.h"
#include "vm/base/host/vec.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS	20 /* of probes that differ */
#define NAMES	5  /* of those that vary by themselves */
#define SHOWN	60 /* characters of a line of output */
#define COLUMNS TRACER_CHECK_COLUMNS

/* What the columns are; 0 is how often the probe fired. */
static const char *const column_names[COLUMNS] = {
	"hits", "arg0", "arg1", "arg2", "arg3", "arg4", "arg5", "arg0", "arg1"};

/* A number, and where it ends: at a tab or at the end of the line. */
static bool read_number(const char **p, uint64_t *n)
{
	char *end;

	if (**p != '\t' || !isdigit((unsigned char)(*p)[1]))
		return false;
	*n = strtoull(*p + 1, &end, 10);
	*p = end;
	return true;
}

static bool read_end(struct check_end *end, const char *p)
{
	uint64_t pid;

	end->is_there = read_number(&p, &pid) && read_number(&p, &end->lost) &&
			read_number(&p, &end->jumps) &&
			read_number(&p, &end->breakpoints) && *p == '\0';
	end->pid = (int)pid;
	return end->is_there;
}

static bool read_line(struct check_table *t, int run, const char *line)
{
	size_t n = strcspn(line, "\t");
	struct check_probe probe = {0};
	struct strbuf name = {0};
	const char *p = line + n;

	if (n == 3 && strncmp(line, "end", n) == 0)
		return read_end(&t->ends[run], p);
	for (int i = 0; i < COLUMNS; i++)
		if (!read_number(&p, &probe.columns[run][i]))
			return false;
	strbuf_add(&name, line, n);
	probe.name = name.data;
	*vec_push(&t->probes) = probe;
	return *p == '\0';
}

bool check_table_read(struct check_table *t, const struct strbuf *file)
{
	const int run = t->nruns;
	struct strbuf line = {0};
	bool is_good = true;

	for (size_t at = 0; at < file->len && is_good; at += line.len + 1) {
		strbuf_reset(&line);
		strbuf_add(&line, file->data + at, strcspn(file->data + at, "\n"));
		is_good = read_line(t, run, line.data);
	}
	strbuf_release(&line);
	t->nruns++;
	return is_good && t->ends[run].is_there;
}

static int by_name(const void *a, const void *b)
{
	const struct check_probe *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static void add_columns(struct check_probe *to, const struct check_probe *from)
{
	for (int run = 0; run < CHECK_RUNS; run++)
		for (int i = 0; i < COLUMNS; i++)
			to->columns[run][i] += from->columns[run][i];
}

void check_table_sort(struct check_table *t)
{
	size_t n = 0;

	if (t->probes.len)
		qsort(t->probes.data, t->probes.len, sizeof(t->probes.data[0]),
		      by_name);
	for (size_t i = 0; i < t->probes.len; i++) {
		struct check_probe *p = &t->probes.data[i];

		if (n && strcmp(t->probes.data[n - 1].name, p->name) == 0) {
			add_columns(&t->probes.data[n - 1], p);
			free(p->name);
		} else {
			t->probes.data[n++] = *p;
		}
	}
	t->probes.len = n;
}

/* Whether the runs by pid differ in the column, or those by fpid. */
static bool varies(const struct check_table *t, const struct check_probe *p, int i)
{
	for (int run = 2; run < t->nruns; run++)
		if (p->columns[run][i] != p->columns[run - 2][i])
			return true;
	return false;
}

/* Whether those by fpid differ from those by pid. */
static bool differs(const struct check_table *t, const struct check_probe *p, int i)
{
	return !varies(t, p, i) &&
	       p->columns[CHECK_PID][i] != p->columns[CHECK_FPID][i];
}

/* If the hits vary, all does. */
static bool is_different(const struct check_table *t, const struct check_probe *p)
{
	bool is_any = false;

	for (int i = 0; i < COLUMNS && !varies(t, p, 0); i++)
		is_any |= differs(t, p, i);
	return is_any;
}

static bool is_restless(const struct check_table *t, const struct check_probe *p)
{
	bool is_any = false;

	for (int i = 0; i < COLUMNS; i++)
		is_any |= varies(t, p, i);
	return is_any;
}

bool check_table_differs(const struct check_table *t)
{
	bool is_any = false;

	for (size_t i = 0; i < t->probes.len && !is_any; i++)
		is_any = is_different(t, &t->probes.data[i]);
	return is_any;
}

static void add_row(const struct check_table *t, const struct check_probe *p,
		    struct strbuf *to)
{
	strbuf_printf(to, "\n%12" PRIu64 " %12" PRIu64 "  %s", p->columns[CHECK_PID][0],
		      p->columns[CHECK_FPID][0], p->name);
	for (int i = 1; i < COLUMNS && !differs(t, p, 0); i++)
		if (differs(t, p, i))
			strbuf_printf(to, ", %s", column_names[i]);
}

static void add_differences(const struct check_table *t, size_t n, struct strbuf *to)
{
	size_t shown = 0;

	strbuf_printf(to, "\ncheck: %zu of %zu probes differ\n%12s %12s  %s", n,
		      t->probes.len, "BY PID", "BY FPID", "PROBE");
	for (size_t i = 0; i < t->probes.len && shown < ROWS; i++) {
		if (!is_different(t, &t->probes.data[i]))
			continue;
		add_row(t, &t->probes.data[i], to);
		shown++;
	}
	if (n > shown)
		strbuf_printf(to, "\n%zu more", n - shown);
}

static void add_restless(const struct check_table *t, size_t n, struct strbuf *to)
{
	size_t shown = 0;

	strbuf_printf(to,
		      "\ncheck: %zu of them vary by themselves, in hits or arguments, "
		      "from one run to the other by the same provider:",
		      n);
	for (size_t i = 0; i < t->probes.len && shown < NAMES; i++) {
		if (!is_restless(t, &t->probes.data[i]))
			continue;
		strbuf_printf(to, "%s%s", shown ? ", " : " ", t->probes.data[i].name);
		shown++;
	}
	if (n > shown)
		strbuf_puts(to, ", ...");
}

bool check_table_compare(const struct check_table *t, struct strbuf *to)
{
	const struct check_end *jumps = &t->ends[CHECK_FPID];
	size_t different = 0, restless = 0;
	uint64_t hits = 0;

	for (size_t i = 0; i < t->probes.len; i++) {
		different += is_different(t, &t->probes.data[i]);
		restless += is_restless(t, &t->probes.data[i]);
		hits += t->probes.data[i].columns[CHECK_FPID][0];
	}
	for (int run = 0; run < t->nruns; run++) {
		if (!t->ends[run].lost)
			continue;
		strbuf_printf(to,
			      "check: %" PRIu64 " hits were lost: a larger aggsize "
			      "or bufsize is needed to compare",
			      t->ends[run].lost);
		return false;
	}
	strbuf_printf(to,
		      "check: %zu probes, %" PRIu64 " hits by fpid, %" PRIu64
		      " of them by jumps: hits, arguments and returns are %s by pid",
		      t->probes.len, hits,
		      hits - (hits < jumps->breakpoints ? hits : jumps->breakpoints),
		      different ? "not the same" : "the same");
	if (restless)
		add_restless(t, restless, to);
	if (different)
		add_differences(t, different, to);
	return !different;
}

/* ---- outputs ---- */

/* Each number that is the process id becomes a word. */
static void drop_pid(struct strbuf *text, int pid)
{
	struct strbuf out = {0};
	char number[16];
	size_t n = (size_t)snprintf(number, sizeof(number), "%d", pid);

	strbuf_puts(&out, "");
	for (size_t i = 0; i < text->len; i++) {
		bool is_inside = i > 0 && isdigit((unsigned char)text->data[i - 1]);

		if (!is_inside && strncmp(text->data + i, number, n) == 0 &&
		    !isdigit((unsigned char)text->data[i + n])) {
			strbuf_puts(&out, "PID");
			i += n - 1;
		} else {
			strbuf_putc(&out, text->data[i]);
		}
	}
	strbuf_release(text);
	*text = out;
}

static bool is_equal(const struct strbuf *a, const struct strbuf *b)
{
	return a->len == b->len && memcmp(a->data, b->data, a->len) == 0;
}

static void add_line(const struct strbuf *text, size_t at, struct strbuf *to)
{
	strbuf_putc(to, '"');
	for (size_t i = 0; i < SHOWN && at + i < text->len; i++) {
		unsigned char c = (unsigned char)text->data[at + i];

		if (c == '\n')
			break;
		strbuf_putc(to, c >= ' ' && c < 127 ? (char)c : '?');
	}
	strbuf_putc(to, '"');
}

/* fpid and pid, where the text has the provider. */
static void drop_provider(struct strbuf *text)
{
	struct strbuf out = {0};

	strbuf_puts(&out, "");
	for (size_t i = 0; i < text->len; i++)
		if (strncmp(text->data + i, "fpidPID", 7) != 0)
			strbuf_putc(&out, text->data[i]);
	strbuf_release(text);
	*text = out;
}

bool check_compare_outputs(const struct check_table *t,
			   struct strbuf outputs[CHECK_RUNS], struct strbuf *to)
{
	const struct strbuf *a = &outputs[CHECK_PID], *b = &outputs[CHECK_FPID];
	size_t at = 0, line = 0;
	bool varies = false;

	for (int run = 0; run < t->nruns; run++) {
		drop_pid(&outputs[run], t->ends[run].pid);
		drop_provider(&outputs[run]);
		varies |= run >= 2 && !is_equal(&outputs[run], &outputs[run - 2]);
	}
	if (varies) {
		strbuf_puts(to, "\ncheck: the output varies by itself, from one run to "
				"the other by the same provider");
		return true;
	}
	if (is_equal(a, b)) {
		strbuf_puts(to, "\ncheck: the output is the same");
		return true;
	}
	for (; at < a->len && at < b->len && a->data[at] == b->data[at]; at++)
		if (a->data[at] == '\n')
			line = at + 1;
	strbuf_puts(to, "\ncheck: the output differs: ");
	add_line(a, line, to);
	strbuf_puts(to, " by pid, ");
	add_line(b, line, to);
	strbuf_puts(to, " by fpid");
	return false;
}

void check_table_release(struct check_table *t)
{
	for (size_t i = 0; i < t->probes.len; i++)
		free(t->probes.data[i].name);
	vec_release(&t->probes);
}

/* SPDX-License-Identifier: MIT */
/*
 * The layouts of -l and -v.
 */
#include "tracer/report.h"
#include "tracer/base/provider.h"

#include <stdio.h>
#include <string.h>

void report_header(struct out *o)
{
	out_printf(o, "%5s %10s %17s %33s %s\n", "ID", "PROVIDER", "MODULE", "FUNCTION",
		   "NAME");
}

static void print_lines(struct out *o, const char *const triplet[3])
{
	out_printf(o, "\t\tIdentifier Names: %s\n", triplet[0]);
	out_printf(o, "\t\tData Semantics:   %s\n", triplet[1]);
	out_printf(o, "\t\tDependency Class: %s\n", triplet[2]);
}

/* Parts of "A/B/C" into buf; a part that is missing is empty. */
static void split(const char *triplet, char buf[REPORT_TRIPLET_MAX],
		  const char *parts[3])
{
	char *p = buf;

	snprintf(buf, REPORT_TRIPLET_MAX, "%s", triplet);
	for (int i = 0; i < 3; i++) {
		parts[i] = p;
		p += strcspn(p, "/");
		if (*p)
			*p++ = '\0';
	}
}

static void print_triplet(struct out *o, const char *triplet)
{
	char buf[REPORT_TRIPLET_MAX];
	const char *parts[3];

	split(triplet, buf, parts);
	print_lines(o, parts);
}

/* For a specifier without probes, or with probes of several providers. */
static const char *const unknown[5] = {
	"Unstable/Unstable/Common", "Unstable/Unstable/Common",
	"Unstable/Unstable/Common", "Unstable/Unstable/Common",
	"Unstable/Unstable/Common"};

static void print_members(struct out *o, const char *lines)
{
	for (size_t n; lines && *lines; lines += n + 1) {
		n = strcspn(lines, "\n");
		out_puts(o, "\t\t\t");
		out_name(o, lines, n, 0, true);
		out_putc(o, '\n');
	}
}

static void print_arguments(struct out *o, const struct probes *ps,
			    const struct probe *p)
{
	const char *type = NULL;
	struct strbuf text = {0};
	uint32_t n = 0;

	out_puts(o, "\n\tArgument Types\n");
	while (p && ps->argument && (type = ps->argument(ps->argument_ctx, p, n))) {
		out_printf(o, "\t\targs[%u]: ", n);
		out_name(o, type, strlen(type), 0, true);
		out_putc(o, '\n');
		ps->members(ps->argument_ctx, p, n++, &text);
	}
	print_members(o, text.data);
	strbuf_release(&text);
	out_puts(o, n ? "\n" : "\t\tNone\n\n");
}

/* Stability and arguments of a probe; p NULL: of a specifier with these names. */
static void print_info(struct out *o, const struct probes *ps, const struct probe *p,
		       const char *const name[4])
{
	const char *const *attributes =
		p && p->provider ? p->provider->attributes : unknown;
	char buf[REPORT_TRIPLET_MAX];

	out_puts(o, "\n\tProbe Description Attributes\n");
	print_triplet(o, report_least(attributes, name, buf));
	out_puts(o, "\n\tArgument Attributes\n");
	print_triplet(o, attributes[4]);
	print_arguments(o, ps, p);
}

static void print_row(struct out *o, uint32_t id, const char *const name[4])
{
	static const size_t width[] = {10, 17, 33, 0};

	out_unsigned(o, id, 5);
	for (int i = 0; i < 4; i++) {
		out_putc(o, ' ');
		out_name(o, name[i], strlen(name[i]), width[i], false);
	}
	out_putc(o, '\n');
}

void report_probe(struct out *o, const struct probes *ps, uint32_t id, bool is_verbose)
{
	const struct probe *p = probes_get(ps, id);
	const char *name[4];

	for (int i = 0; i < 4; i++)
		name[i] = probes_name(ps, p, (enum probe_field)i);
	print_row(o, id, name);
	if (is_verbose)
		print_info(o, ps, p, name);
}

void report_minimum(struct out *o, const char *kind, const char *name,
		    const struct dlang_stability *s)
{
	out_printf(o, "\nStability attributes for %s %s:\n", kind, name);
	out_puts(o, "\n\tMinimum Probe Description Attributes\n");
	print_lines(o, s->description);
	out_puts(o, "\n\tMinimum Statement Attributes\n");
	print_lines(o, s->statement);
}

void report_stability(struct out *o, const char *kind, const char *name,
		      const struct dlang_stability *s)
{
	report_minimum(o, kind, name, s);
	out_putc(o, '\n');
}

void report_specifier(struct out *o, const struct probes *ps,
		      const char *const field[4], const struct probe *p)
{
	out_putc(o, '\n');
	for (int i = 0; i < 4; i++) {
		out_name(o, field[i], strlen(field[i]), 0, true);
		out_putc(o, i < 3 ? ':' : '\n');
	}
	print_info(o, ps, p, field);
}

/* Weakest first. */
static const char *const stabilities[] = {"Internal", "Private",  "Obsolete",
					  "External", "Unstable", "Evolving",
					  "Stable",   "Standard"};
static const char *const classes[] = {"Unknown", "CPU", "Platform",
				      "Group",	 "ISA", "Common"};

static size_t rank(const char *name, bool is_class)
{
	const char *const *names = is_class ? classes : stabilities;
	size_t n = is_class ? ARRAY_LEN(classes) : ARRAY_LEN(stabilities);

	for (size_t i = 0; i < n; i++)
		if (strcmp(names[i], name) == 0)
			return i;
	return 0;
}

const char *report_least(const char *const attributes[4], const char *const name[4],
			 char buf[REPORT_TRIPLET_MAX])
{
	size_t least[3] = {ARRAY_LEN(stabilities) - 1, ARRAY_LEN(stabilities) - 1,
			   ARRAY_LEN(classes) - 1};
	char copy[REPORT_TRIPLET_MAX];
	const char *parts[3];

	for (int field = 0; field < 4; field++) {
		if (!*name[field])
			continue;
		split(attributes[field], copy, parts);
		for (int i = 0; i < 3; i++)
			least[i] = min_u64(least[i], rank(parts[i], i == 2));
	}
	snprintf(buf, REPORT_TRIPLET_MAX, "%s/%s/%s", stabilities[least[0]],
		 stabilities[least[1]], classes[least[2]]);
	return buf;
}

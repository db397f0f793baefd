/* SPDX-License-Identifier: MIT */
/*
 * What a record costs the consumer, from the ring of a thread to the file, beside the
 * floor: a write of the same bytes to the same file. One line for each form:
 *
 *	NAME ns NS floor NS
 *
 * Processor time; medians of rounds in which both take their turn.
 */
#include "tests/unit/support/tracer_rig.h"
#include "vm/base/host/clock.h"

#define RECORDS 100000u
#define ROUNDS	9
#define THREAD	STATE_SLOT_FIRST_THREAD

static const struct printed_form {
	const char *name, *options, *format; /* NULL: trace() */
	struct rig_value values[5];
} forms[] = {
	{"printf_d", "quiet", "%d\n", {INT(8, 123456)}},
	{"printf_3d",
	 "quiet",
	 "%d %x %d\n",
	 {INT(8, 123456), INT(8, 99999), INT(4, 7)}},
	{"printf_s", "quiet", "%s %d\n", {STR("a_name_of_a_file"), INT(4, 7)}},
	{"printf_width", "quiet", "%-20s %8d\n", {STR("a_name"), INT(4, 7)}},
	{"printf_loud", "", "%d", {INT(8, 123456)}},
	{"trace_loud", "", NULL, {INT(8, 123456)}},
};

static struct rig *make(const struct printed_form *f, uint32_t *probe)
{
	struct rig *r = rig_new();

	r->bufsize = UINT64_C(64) << 20;
	*probe = rig_probe(r, "prov", "function", "entry");
	probes_enable(&r->probes, *probe, rig_clause(r));
	rig_action(r, f->format ? ACTION_printf : ACTION_trace, f->format, f->values,
		   NULL);
	rig_end(r);
	rig_options(r, f->options);
	rig_start(r);
	return r;
}

/* ns of the consumer for all records; *bytes: what it has written. */
static uint64_t consume(struct rig *r, uint32_t probe, off_t *bytes)
{
	uint64_t begin;

	for (uint32_t i = 0; i < RECORDS; i++)
		rig_fire(r, THREAD, probe);
	begin = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	do
		consumer_pass(r->consumer, 0);
	while (consumer_is_behind(r->consumer));
	begin = clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
	*bytes = lseek(r->out_fd, 0, SEEK_END);
	return begin;
}

/* ns of writing so many bytes as the output does. */
static uint64_t write_same(const struct rig *r, off_t bytes)
{
	uint64_t begin = clock_ns(CLOCK_THREAD_CPUTIME_ID);

	for (off_t done = 0; done < bytes; done += OUT_BUFFER)
		if (write(r->out_fd, r->caught,
			  (size_t)(bytes - done < OUT_BUFFER ? bytes - done
							     : OUT_BUFFER)) < 0)
			abort();
	return clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
}

static void empty_file(const struct rig *r)
{
	if (ftruncate(r->out_fd, 0))
		abort();
	lseek(r->out_fd, 0, SEEK_SET);
}

static int compare_ns(const void *a, const void *b)
{
	const uint64_t *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

static double median_ns(uint64_t ns[ROUNDS])
{
	qsort(ns, ROUNDS, sizeof(ns[0]), compare_ns);
	return (double)ns[ROUNDS / 2] / RECORDS;
}

int main(void)
{
	for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
		uint64_t ns[ROUNDS], floor[ROUNDS];
		uint32_t probe;
		struct rig *r = make(&forms[i], &probe);
		off_t bytes;

		consume(r, probe, &bytes); /* memory is there from now on */
		for (int k = 0; k < ROUNDS; k++) {
			empty_file(r);
			ns[k] = consume(r, probe, &bytes);
			empty_file(r);
			floor[k] = write_same(r, bytes);
		}
		printf("%s ns %.1f floor %.1f\n", forms[i].name, median_ns(ns),
		       median_ns(floor));
		rig_free(r);
	}
	return 0;
}

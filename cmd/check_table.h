/* SPDX-License-Identifier: MIT */
/*
 * What the runs of -x check say, and where they differ.
 */
#ifndef CMD_CHECK_TABLE_H
#define CMD_CHECK_TABLE_H

#include "tracer/tracer.h"
#include "vm/base/host/strbuf.h"

/*
 * By pid, by fpid, and by pid again; then by both in turn, while there is a difference
 * that may come from elsewhere.
 */
enum check_run { CHECK_PID, CHECK_FPID, CHECK_AGAIN, CHECK_RUNS_FIRST, CHECK_RUNS = 7 };

static inline bool check_run_is_by_fpid(int run)
{
	return run % 2 == 1;
}

struct check_probe {
	char *name;
	uint64_t columns[CHECK_RUNS][TRACER_CHECK_COLUMNS];
};

struct check_end {
	bool is_there; /* the run came to its end */
	int pid;
	uint64_t lost, jumps, breakpoints;
};

struct check_table {
	struct {
		struct check_probe *data;
		size_t len, cap;
	} probes; /* after check_table_sort(): by name, each once */
	struct check_end ends[CHECK_RUNS];
	int nruns; /* so far */
};

/* Adds the file of the next run (tracer_check()). False: it is damaged. */
bool check_table_read(struct check_table *t, const struct strbuf *file);
void check_table_sort(struct check_table *t);
/* After that: whether the runs by fpid differ from those by pid. */
bool check_table_differs(const struct check_table *t);
/*
 * Appends lines for a message: what was the same, what varies by itself, and the probes
 * that differ. True: none does, and there was something to compare.
 */
bool check_table_compare(const struct check_table *t, struct strbuf *to);
/*
 * The outputs of the runs; each loses its process id. Appends a line. True: that of fpid
 * is no other, or those of one provider are not the same already.
 */
bool check_compare_outputs(const struct check_table *t,
			   struct strbuf outputs[CHECK_RUNS], struct strbuf *to);
void check_table_release(struct check_table *t);

#endif

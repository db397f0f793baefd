/* SPDX-License-Identifier: MIT */
/* Aggregations of two outputs of -O json, as rows of one table. */
#ifndef CMD_DIFF_TABLE_H
#define CMD_DIFF_TABLE_H

#include "vm/base/base.h"
#include "vm/base/host/strbuf.h"

#include <stdio.h>

enum { DIFF_FILES = 2 };

struct diff_value {
	bool is_there;
	long long n;
};

/* One value, or one bucket of a histogram. */
struct diff_row {
	char *name;	  /* "@name, function" */
	char *keys;	  /* as JSON, of printable ASCII: "a.out",5 */
	char *label;	  /* of a bucket; NULL: it is a value */
	long long lowest; /* of a bucket: what orders it */
	size_t number;	  /* how many rows were read before */
	size_t print;	  /* the same of its histogram: all buckets of one have it */
	struct diff_value value[DIFF_FILES];
};

/* Zero-initialize. */
struct diff_table {
	struct diff_row *data;
	size_t len, cap;
};

/*
 * Adds what the lines of the file say of aggregations; where one is printed several times
 * its last values count. 0, or -1 with a text: where the file is not what it should be.
 */
int diff_table_read(struct diff_table *t, int which, FILE *file, struct strbuf *why);
/*
 * Both files are read: rows of the same place become one. Sorts the table by name: values
 * with the greatest changes first, histograms as a whole.
 */
void diff_table_join(struct diff_table *t);
/* After that. */
void diff_table_print(const struct diff_table *t, FILE *out);
void diff_table_release(struct diff_table *t);

#endif

/* SPDX-License-Identifier: MIT */
/* run: -w */
/* The original output is found again after two files. */
BEGIN { freopen("other"); printf("other\n"); freopen("out"); printf("file\n"); freopen(""); printf("stdout\n"); exit(0); }

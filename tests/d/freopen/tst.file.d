/* SPDX-License-Identifier: MIT */
/* run: -w */
BEGIN { printf("stdout\n"); freopen("out"); printf("in the file\n"); exit(0); }

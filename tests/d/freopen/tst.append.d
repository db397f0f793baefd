/* SPDX-License-Identifier: MIT */
/* run: -w */
BEGIN { freopen("out"); printf("1\n"); freopen(""); freopen("out"); printf("2\n"); freopen(""); exit(0); }

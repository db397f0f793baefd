/* SPDX-License-Identifier: MIT */
/* run: -w */
/* A variable may hold what a process has written; a literal does not. */
BEGIN { s = "./out"; }
tick-100hz { freopen("%s", "./out"); printf("literal\n"); freopen(""); freopen("%s", s); exit(0); }

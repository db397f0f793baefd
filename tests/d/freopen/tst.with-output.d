/* SPDX-License-Identifier: MIT */
/* run: -w -o @tmp@/first */
/* It is the file of -o that is redirected; commands have the standard output. */
BEGIN { freopen("out"); printf("a\n"); system("echo b"); exit(0); }

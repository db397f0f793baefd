/* SPDX-License-Identifier: MIT */
/* run: -w */
BEGIN { freopen("out"); printf("a\n"); system("echo b"); printf("c\n"); freopen(""); system("echo d"); exit(0); }

/* SPDX-License-Identifier: MIT */
/* run: -w */
BEGIN { freopen("out"); printf("file\n"); freopen("%s", ""); printf("stdout\n"); exit(0); }

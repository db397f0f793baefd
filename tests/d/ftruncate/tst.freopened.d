/* SPDX-License-Identifier: MIT */
/* run: -w */
BEGIN { freopen("out"); printf("gone\n"); ftruncate(); printf("kept\n"); freopen(""); exit(0); }

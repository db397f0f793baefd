/* SPDX-License-Identifier: MIT */
/* run: -w */
BEGIN { freopen("out"); printf("gone\n"); system("true"); ftruncate(); printf("kept\n"); system("true"); freopen(""); exit(0); }

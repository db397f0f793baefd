/* SPDX-License-Identifier: MIT */
/* run: -w */
BEGIN { freopen(""); printf("here\n"); exit(0); }

/* SPDX-License-Identifier: MIT */
/* run: -w */
BEGIN { freopen("/nonexistent/%d", 1); printf("still here\n"); exit(0); }

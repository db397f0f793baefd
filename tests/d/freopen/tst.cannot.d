/* SPDX-License-Identifier: MIT */
/* run: -w */
BEGIN { freopen("/nonexistent/x"); printf("still here\n"); exit(0); }

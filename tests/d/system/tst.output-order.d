/* SPDX-License-Identifier: MIT */
/* run: -w */
BEGIN { printf("before\n"); system("echo command"); printf("after\n"); exit(0); }

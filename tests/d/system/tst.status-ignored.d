/* SPDX-License-Identifier: MIT */
/* run: -w */
BEGIN { system("exit 42"); system("kill -9 $$"); printf("on\n"); exit(0); }

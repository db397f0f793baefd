/* SPDX-License-Identifier: MIT */
/* run: -w -s @file@ */
BEGIN { system("echo hi"); exit(0); }

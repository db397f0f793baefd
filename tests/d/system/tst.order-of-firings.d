/* SPDX-License-Identifier: MIT */
/* run: -w */
/* A record takes effect when its turn comes, not when it is made. */
BEGIN { system("echo 1"); printf("2\n"); }
BEGIN { printf("3\n"); system("echo 4"); }
END { system("echo 5"); }
BEGIN { exit(0); }

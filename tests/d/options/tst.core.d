/* SPDX-License-Identifier: MIT */
/* run: -x core */
BEGIN { printf("then it aborts\n"); exit(0); }

/* SPDX-License-Identifier: MIT */
/* command: -qn 'BEGIN { printf("hi"); exit(0); }' */

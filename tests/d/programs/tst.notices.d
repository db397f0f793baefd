/* SPDX-License-Identifier: MIT */
/* a notice for each, before any data */
/* command: -n 'BEGIN { x = 1; }' -n 'BEGIN, END { trace(x); }' -n 'BEGIN /x/ { exit(0); }' */

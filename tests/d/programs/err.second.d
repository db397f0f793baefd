/* SPDX-License-Identifier: MIT */
/* the notice comes when all are compiled */
/* command: -n 'BEGIN { x = 1; }' -n 'BEGIN { trace(y); }' */

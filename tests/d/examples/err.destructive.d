/* SPDX-License-Identifier: MIT */
/* command: -n 'BEGIN { system("true"); exit(0); }' */

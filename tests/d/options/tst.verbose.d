/* SPDX-License-Identifier: MIT */
/* command: -q -x verbose -n 'BEGIN { exit(0); }' */

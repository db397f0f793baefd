/* SPDX-License-Identifier: MIT */
/* command: -qn 'BEGIN { exit(5); }' -n 'BEGIN { exit(6); }' */

/* SPDX-License-Identifier: MIT */
/* command: -qn 'BEGIN { @n[1] = sum(3); }' -n 'BEGIN { @n[1] = sum(4); @n[2] = sum(1); exit(0); }' */

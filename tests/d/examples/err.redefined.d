/* SPDX-License-Identifier: MIT */
/* command: -n 'BEGIN { @a = sum(1); @a = max(2); }' */

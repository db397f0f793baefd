/* SPDX-License-Identifier: MIT */
/* command: -n 'BEGIN { @x = count(); }' -n 'BEGIN { @x = sum(1); }' */

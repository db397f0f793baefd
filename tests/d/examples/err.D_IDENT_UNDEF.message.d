/* SPDX-License-Identifier: MIT */
/* command: -n 'BEGIN { x; }' */

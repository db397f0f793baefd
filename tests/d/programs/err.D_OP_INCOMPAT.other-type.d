/* SPDX-License-Identifier: MIT */
/* command: -n 'BEGIN { x = "a string"; }' -n 'BEGIN { x = 5; }' */

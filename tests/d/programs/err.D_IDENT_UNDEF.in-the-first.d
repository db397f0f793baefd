/* SPDX-License-Identifier: MIT */
/* what the second assigns, the first does not know */
/* command: -n 'BEGIN { trace(x); }' -n 'BEGIN { x = 5; }' */

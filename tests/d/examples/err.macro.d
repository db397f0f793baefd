/* SPDX-License-Identifier: MIT */
/* command: -n 'BEGIN { trace($1); }' */

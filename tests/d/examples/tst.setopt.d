/* SPDX-License-Identifier: MIT */
/* command: -qn 'BEGIN { setopt("nosuch"); exit(0); }' */

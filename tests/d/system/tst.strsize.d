/* SPDX-License-Identifier: MIT */
/* run: -w -x strsize=8 */
/* The command is cut at strsize, with its end. */
BEGIN { system("%s%s", "echo 12", "345678"); exit(0); }

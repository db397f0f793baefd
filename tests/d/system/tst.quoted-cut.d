/* SPDX-License-Identifier: MIT */
/* run: -w -x strsize=16 */
/* The end of a command with quotes is not left out: another command would run. */
BEGIN { system("echo %q", "123456789012345"); system("echo %q", "12"); exit(0); }

/* SPDX-License-Identifier: MIT */
/* run: -w -x strsize=128k */
/* What has no room in the buffer of the command is its end, not its beginning. */
BEGIN { system("echo %s; exit; %65536s", "begins", "echo ends"); exit(0); }

/* SPDX-License-Identifier: MIT */
/* run: -w */
BEGIN { system("exec 2>/dev/null; /nonexistent/command || echo none"); exit(0); }

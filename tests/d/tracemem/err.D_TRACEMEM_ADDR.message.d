/* SPDX-License-Identifier: MIT */
BEGIN { tracemem(execname, 5); exit(0); }

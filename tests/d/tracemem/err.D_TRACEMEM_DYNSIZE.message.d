/* SPDX-License-Identifier: MIT */
BEGIN { tracemem(0, 5, execname); exit(0); }

/* SPDX-License-Identifier: MIT */
BEGIN { x = tracemem(0, 5); exit(0); }

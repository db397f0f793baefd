/* SPDX-License-Identifier: MIT */
BEGIN { tracemem(0, -1); exit(0); }

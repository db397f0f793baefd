/* SPDX-License-Identifier: MIT */
BEGIN { tracemem(0, 0); exit(0); }

/* SPDX-License-Identifier: MIT */
BEGIN { tracemem(0, -3); exit(0); }

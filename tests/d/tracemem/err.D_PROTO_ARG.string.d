/* SPDX-License-Identifier: MIT */
BEGIN { tracemem(0, "5"); exit(0); }

/* SPDX-License-Identifier: MIT */
BEGIN { ipl = 1; exit(0); }

/* SPDX-License-Identifier: MIT */
/* Rows are sorted by what was counted. */
BEGIN { @[1] = sum(19); @[2] = sum(11); @[3] = sum(15); normalize(@, 10); exit(0); }

/* SPDX-License-Identifier: MIT */
BEGIN { speculate(1); raise(1); }

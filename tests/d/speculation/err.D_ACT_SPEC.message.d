/* SPDX-License-Identifier: MIT */
BEGIN { speculate(1); freopen("x"); }

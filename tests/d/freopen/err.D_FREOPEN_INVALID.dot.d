/* SPDX-License-Identifier: MIT */
BEGIN { freopen("."); exit(0); }

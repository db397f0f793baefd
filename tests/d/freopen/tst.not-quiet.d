/* SPDX-License-Identifier: MIT */
/* run: -w -s @file@ */
BEGIN { freopen("out"); trace(1); exit(0); }

/* SPDX-License-Identifier: MIT */
/* run: -w */
BEGIN { freopen("out"); @a = count(); exit(0); }

/* SPDX-License-Identifier: MIT */
/* run: -w */
BEGIN { freopen("%s%c%s", "o", 'u', "t"); printf("named\n"); freopen(""); exit(0); }

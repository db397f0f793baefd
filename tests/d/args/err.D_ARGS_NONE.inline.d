/* SPDX-License-Identifier: MIT */
/* refused where it is defined, not where it is used */
inline int first = args[0];
BEGIN { exit(0); }

/* SPDX-License-Identifier: MIT */
inline int sq[int v] = v * v;
inline string who = "you";
BEGIN { printf("%s %d\n", who, sq[7]); exit(0); }

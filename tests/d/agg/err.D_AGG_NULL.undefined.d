/* SPDX-License-Identifier: MIT */
/* an aggregation that is never given a function, as a statement */
BEGIN { @a[1]; exit(0); }

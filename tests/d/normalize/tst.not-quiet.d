/* SPDX-License-Identifier: MIT */
/* run: -s @file@ */
BEGIN { @ = sum(100); }
BEGIN { normalize(@, 10); }
BEGIN { denormalize(@); exit(0); }

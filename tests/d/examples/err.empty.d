/* SPDX-License-Identifier: MIT */
/* run: -s @file@ */

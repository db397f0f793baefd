/* SPDX-License-Identifier: MIT */
BEGIN { x = "s"; printf("%d", x); }

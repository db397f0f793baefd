/* SPDX-License-Identifier: MIT */
BEGIN { x = 1 y = 2; }

/* SPDX-License-Identifier: MIT */
BEGIN { printf("%1.2.3d", 1); }

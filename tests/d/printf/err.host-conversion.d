/* SPDX-License-Identifier: MIT */
BEGIN { printf("%I", 5); }

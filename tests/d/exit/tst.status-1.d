/* SPDX-License-Identifier: MIT */
BEGIN { exit(1); }

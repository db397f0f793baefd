/* SPDX-License-Identifier: MIT */
BEGIN { exit(127); }

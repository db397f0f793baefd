/* SPDX-License-Identifier: MIT */
BEGIN { setopt("QUIET"); exit(0); }

/* SPDX-License-Identifier: MIT */
BEGIN { setopt("nosuch"); exit(0); }

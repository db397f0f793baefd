/* SPDX-License-Identifier: MIT */
BEGIN { setopt("aggsortpos", "x"); setopt("quiet", "maybe"); exit(0); }

/* SPDX-License-Identifier: MIT */
/* These are accepted and mean nothing any more. */
BEGIN { setopt("errtags"); setopt("zdefs"); setopt("defaultargs"); printf("ok\n"); exit(0); }

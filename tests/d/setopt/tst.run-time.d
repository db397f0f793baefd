/* SPDX-License-Identifier: MIT */
/* Those that must be set before tracing starts. */
BEGIN { setopt("bufsize", "1m"); setopt("strsize", "100"); setopt("destructive"); exit(0); }

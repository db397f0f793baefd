/* SPDX-License-Identifier: MIT */
BEGIN { trace(vmregs()); exit(0); }

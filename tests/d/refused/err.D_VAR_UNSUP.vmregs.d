/* SPDX-License-Identifier: MIT */
BEGIN { trace(vmregs[0]); exit(0); }

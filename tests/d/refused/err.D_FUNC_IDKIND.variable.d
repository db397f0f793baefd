/* SPDX-License-Identifier: MIT */
BEGIN { trace(curcpu()); exit(0); }

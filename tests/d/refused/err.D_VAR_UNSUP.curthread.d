/* SPDX-License-Identifier: MIT */
BEGIN { trace(curthread); exit(0); }

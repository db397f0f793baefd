/* SPDX-License-Identifier: MIT */
BEGIN { trace(ipl); exit(0); }

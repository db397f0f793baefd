/* SPDX-License-Identifier: MIT */
BEGIN { trace(curthread->t_pri); exit(0); }

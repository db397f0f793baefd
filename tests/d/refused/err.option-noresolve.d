/* SPDX-License-Identifier: MIT */
/* command: -x noresolve -n BEGIN */

/* SPDX-License-Identifier: MIT */
/* command: -x sysslice -n BEGIN */

/* SPDX-License-Identifier: MIT */
/* command: -x tregs=0 -n BEGIN */

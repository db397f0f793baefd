/* SPDX-License-Identifier: MIT */
/* command: -x procfspath=/x -n BEGIN */

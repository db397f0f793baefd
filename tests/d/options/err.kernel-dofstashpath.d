/* SPDX-License-Identifier: MIT */
/* command: -x dofstashpath=/x -n BEGIN */

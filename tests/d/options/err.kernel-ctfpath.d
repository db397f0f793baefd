/* SPDX-License-Identifier: MIT */
/* command: -x ctfpath=/x -n BEGIN */

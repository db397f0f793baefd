/* SPDX-License-Identifier: MIT */
/* command: -x pgmax=x -n BEGIN */

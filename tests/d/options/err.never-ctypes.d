/* SPDX-License-Identifier: MIT */
/* command: -x ctypes=/x -n BEGIN */

/* SPDX-License-Identifier: MIT */
/* command: -x dtypes=/x -n BEGIN */

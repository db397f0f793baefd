/* SPDX-License-Identifier: MIT */
/* command: -x stdc=q -n BEGIN */

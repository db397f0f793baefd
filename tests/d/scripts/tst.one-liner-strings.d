/* SPDX-License-Identifier: MIT */
/* command: -qn 'pid$target::buy:entry { @[copyinstr(arg0)] = sum(arg1); }' -c @shop@ */

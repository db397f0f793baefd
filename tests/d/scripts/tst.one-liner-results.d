/* SPDX-License-Identifier: MIT */
/* command: -qn 'pid$target::buy:return { @[arg1] = count(); }' -c @shop@ */

/* SPDX-License-Identifier: MIT */
/* command: -qn 'pid$target::buy:return /(long)arg1 < 0/ { @[arg1 == -1 ? "no such thing" : "too few"] = count(); }' -c @shop@ */

/* SPDX-License-Identifier: MIT */
/* command: -qn 'pid$target::pool_alloc:entry { @["bytes"] = quantize(arg0); }' -c @shop@ */

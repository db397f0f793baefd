/* SPDX-License-Identifier: MIT */
/* command: -qn 'pid$target:a.out:serve:entry { @[arg0] = count(); }' -c @shop@ */

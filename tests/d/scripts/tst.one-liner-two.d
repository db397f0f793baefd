/* SPDX-License-Identifier: MIT */
/* command: -qn 'pid$target::buy:entry { n++; }' -n 'END { printf("%d purchases\n", n); }' -c @shop@ */

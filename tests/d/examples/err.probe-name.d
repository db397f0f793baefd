/* SPDX-License-Identifier: MIT */
/* command: -n 'pid$target:a.out:main:beginning' -c @once@ */

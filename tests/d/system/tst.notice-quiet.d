/* SPDX-License-Identifier: MIT */
/* run: -w -c @stacks@ */
pid$target:a.out:mark:entry /arg0 == 1/ { system("echo %s >/dev/null", execname); }

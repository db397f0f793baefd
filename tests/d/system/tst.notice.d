/* SPDX-License-Identifier: MIT */
/* run: -w -c @stacks@ -s @file@ */
/* A string of the process is handed to a shell as it is. */
pid$target:a.out:mark:entry /arg0 == 1/ { system("echo %s >/dev/null", execname); }

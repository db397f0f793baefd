/* SPDX-License-Identifier: MIT */
/* run: -w -c @stacks@ -s @file@ */
/* Quoted strings, literals and what dtrace itself fires need no notice. */
pid$target:a.out:mark:entry /arg0 == 1/ { system("echo %q %d %s >/dev/null", execname, 5, "literal"); s = execname; }
BEGIN { s = "a"; system("echo %s >/dev/null", "a"); }
tick-1000s { system("echo %s >/dev/null", s); }

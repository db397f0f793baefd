/* SPDX-License-Identifier: MIT */
/* Each call is an entry of its own, though its clauses follow those of another. */
/* run: -F -o @tmp@/out -s @file@ -c @recurse@ */
int done;
pid$target:a.out:depth:entry /arg0 < 3 && !done/ { trace(arg0); }
pid$target:a.out:depth:entry /arg0 < 3 && !done/ { printf("again"); n++; }
pid$target:a.out:depth:return /n/ { trace(n); }
pid$target:a.out:depth:return /n/ { printf("again"); n--; done = n == 0; }

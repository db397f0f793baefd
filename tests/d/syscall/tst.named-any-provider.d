/* a description without a provider waits for the process that a later clause names */
/* target: doze 30000 */
/* run: -q -s @file@ @pid@ */
/* SPDX-License-Identifier: MIT */
::nanosleep:entry { naps++; seen = probeprov; }
pid$1:a.out:doze:entry /naps > 10/ { exit(0); }
END { printf("%d %s\n", naps > 10, seen); }

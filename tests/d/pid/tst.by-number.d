/* a running process, by its number alone */
/* target: busy 20 */
/* run: -q -s @file@ @pid@ */
pid$1:a.out:work:entry { n++; ok = pid == $1; }
tick-10ms /n > 100/ { exit(0); }
END { printf("%d %d\n", ok, $target); }

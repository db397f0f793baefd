/* a running process, by -p */
/* target: busy 20 */
/* run: -q -p @pid@ -s @file@ @pid@ */
pid$target:a.out:work:entry { n++; }
pid$target:a.out:work:entry /n >= 100/ { exit(0); }
END { printf("%d\n", n >= 100 && pid == $pid && $target == $1); }

/* a running process, by -p */
/* target: busy 20 */
/* run: -q -p @pid@ -s @file@ @pid@ */
pid$target:a.out:work:entry { n++; }
pid$target:a.out:work:entry /n >= 100/ { enough = 1; exit(0); }
END { printf("%d\n", enough && pid == $pid && $target == $1); }

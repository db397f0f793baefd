/* tick and pid clauses share globals */
/* target: busy 20 */
/* run: -q -s @file@ @pid@ */
int n, t;
tick-10ms { t++; }
pid$1:a.out:work:entry { n++; }
tick-10ms /n > 200 && t > 3/ { both = 1; exit(0); }
END { printf("%d\n", both); }

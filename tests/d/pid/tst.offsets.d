/* all instructions of a function, by a glob */
/* run: -c @once@ */
int first;
pid$target:a.out:f:[0-9]* { n++; first = n == 1 ? probename == "0" : first; }
END { printf("%d %d\n", first, n >= 2); }

/* a program without BEGIN ends with its process */
/* run: -c @once@ */
pid$target:a.out:f:entry { n++; }
END { printf("%d\n", n); }

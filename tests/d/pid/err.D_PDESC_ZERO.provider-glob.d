/* no other clause makes any */
/* run: -c @once@ */
pid*:a.out:f:entry { n++; }

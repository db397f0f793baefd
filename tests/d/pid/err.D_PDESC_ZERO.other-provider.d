/* programs with probes of their own are not known */
/* run: -c @once@ */
myapp$target:::entry { n++; }

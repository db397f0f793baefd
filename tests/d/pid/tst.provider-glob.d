/* a provider field that matches the provider and ends in the process */
/* run: -c @once@ */
p*d$target:a.out:f:entry { printf("%s\n", probename); }
*pid$target:a.out:f:return { n++; }
pi?$target:a.out:f:0 { printf("%s\n", probename); }
END { printf("%d\n", n > 0); }

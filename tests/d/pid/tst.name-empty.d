/* no name is entry, return and every instruction, entry first */
/* run: -c @once@ */
pid$target:a.out:f: { printf("%s\n", probename); }

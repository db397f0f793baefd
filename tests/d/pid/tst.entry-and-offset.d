/* entry fires before offset 0 */
/* run: -c @once@ */
pid$target:a.out:f:0 { printf("offset %s\n", probename); }
pid$target:a.out:f:entry { printf("entry\n"); }

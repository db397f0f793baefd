/* a clause that only the keeper can run: the events come all the same */
/* run: -c @once@ */
fpid$target:a.out:f:entry, fpid$target:a.out:f:return { n++; }
diag:::fpid { printf("%d %s\n", args[0], basename(curpsinfo->pr_psargs)); }
diag:::site { printf("%s: %s\n", args[1], args[2]); }

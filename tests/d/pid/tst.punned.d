/* a return with room for one byte takes a punned jump: diag:::site tells */
/* run: -c @punned@ */
fpid$target:a.out:punned:return { @[arg1] = count(); }
diag:::site { printf("%s\n", args[1]); }

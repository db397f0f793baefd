/* a glob that names fpid takes jumps as the name does */
/* run: -c @once@ */
f[p]id$target:libc.so.6:exit:entry { @calls = count(); }
diag:::site { printf("%s\n", args[1]); }

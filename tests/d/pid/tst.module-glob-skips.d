/* where the module is a glob, one without the function is left out */
/* run: -c @once@ */
pid$target:*:_exit:entry { printf("%s\n", probemod); }

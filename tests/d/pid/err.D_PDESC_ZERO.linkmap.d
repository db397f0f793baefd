/* there is no other */
/* run: -c @once@ */
pid$target:LM7`libc.so.6:_exit:entry { n++; }

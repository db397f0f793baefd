/* what is left out of a module's name must begin with a dot */
/* run: -c @once@ */
pid$target:lib:_exit:entry { n++; }

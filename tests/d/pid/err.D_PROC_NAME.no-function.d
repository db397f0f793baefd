/* the name of the probe is checked before the function is looked for */
/* run: -c @once@ */
pid$target:a.out:no_such_function:begin { }

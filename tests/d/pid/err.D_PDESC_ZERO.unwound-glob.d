/* a glob is a glob of offsets, entry and return */
/* run: -c @once@ */
pid$target:a.out:f:unwoun? {}

/* no stack has more frames than that, however many are asked for */
/* run: -x maxframes=2 -x ustackframes=10 -c @stacks@ */
pid$target:a.out:mark:entry /arg0 == 9/ { ustack(); ustack(5); ustack(1); jstack(); }

/* of a tail call: what the register holds by then, not what will be returned */
/* run: -o @tmp@/out -c @tail@ */
pid$target:a.out:direct:return { @[arg1 == uregs[R_RAX]] = count(); }
pid$target:a.out:last:return { @last[arg0 > 0] = count(); }

/* of a tail call it fires when control leaves; the result is the other function's */
/* run: -x tailcall=jump -o @tmp@/out -c @tail@ */
pid$target:a.out:direct:return { @[arg0 > 0] = count(); }
pid$target:a.out:direct:return /n++ < 2/ { @result[arg1] = count(); }
pid$target:a.out:last:return { @last[arg0 > 0] = count(); }
ERROR /arg4 == 12/ { @fault["DTRACEFLT_TAILCALL", ufunc(arg5)] = count(); }
END { printa(@); printa(@result); printa(@last); printa("%s %A %@d\n", @fault); }

/* ... and when it has ended. */
/* run: -c @places@ */
pid$target:a.out:look:entry { @[copyinstr(arg0), usym(arg1), umod(arg1), ufunc(arg1)] = count(); }
END { setopt("aggsortkey"); printa("%s: %A, %A, %A\n", @); }

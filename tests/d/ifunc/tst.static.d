/* The name of an ifunc means what was chosen, not its resolver. */
/* run: -c @ifunc_static@ */
pid$target:a.out:chosen:entry { @[probefunc, (int)arg0] = count(); }
pid$target:a.out:chosen:return { @[probefunc, (int)arg1] = count(); }
pid$target:a.out:measure:entry { self->in = 1; }
pid$target:a.out:strlen:entry /self->in/ { @length[copyinstr(arg0)] = count(); }
pid$target:a.out:strlen:return /self->in/ { @length["returned"] = count(); }
pid$target:a.out:measure:return { self->in = 0; }
END { setopt("aggsortkey"); printa("%s %d %@d\n", @); printa("'%s' %@d\n", @length); }

/* Before the loader chooses, all that it may choose get the probe. */
/* run: -x evaltime=exec -Z -c @ifunc@ */
pid$target:a.out:chosen:entry { @[probefunc, (int)arg0] = count(); }
pid$target:a.out:chosen:return { @[probefunc, (int)arg1] = count(); }
pid$target:a.out:measure:entry { self->in = 1; }
pid$target:libc:strlen:entry /self->in/ { @length[copyinstr(arg0)] = count(); }
pid$target:libc:strlen:return /self->in/ { @length["returned"] = count(); }
pid$target:a.out:measure:return { self->in = 0; }
END { setopt("aggsortkey"); printa("%s %d %@d\n", @); printa("'%s' %@d\n", @length); }

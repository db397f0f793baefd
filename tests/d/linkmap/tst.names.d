/* Objects of other link maps than the first have its number in their names, also if they
 * are looked at when they are mapped, but in no list yet. */
/* run: -Z -c '@dlmopen@ @plugin.so@ 60' */
pid$target:a.out:calls:entry { self->n = arg1; }
pid$target:plugin.so:plugged:entry /self->n/ { @[1, probemod, self->n] = count(); }
pid$target:LM0`plugin:plugged:entry /self->n/ { @[2, probemod, self->n] = count(); }
pid$target:LM1`plugin.so:plugged:entry /self->n/ { @[3, probemod, self->n] = count(); }
pid$target:LM2`plugin:plugged:entry /self->n/ { @[4, probemod, self->n] = count(); }
pid$target:plug*:plugged:entry /self->n/ { @[5, probemod, self->n] = count(); }
pid$target:LM[12]`plug*:plugged:entry /self->n/ { @[6, probemod, self->n] = count(); }
pid$target::plugged:entry /self->n/ { @[7, probemod, self->n] = count(); }
pid$target:LM2`plugin.so:plugged:entry /self->n/ { @where[umod(uregs[R_RIP]), usym(uregs[R_RIP])] = count(); }
END { setopt("aggsortkey"); printa("%d %s %d %@d\n", @); printa("%A %A %@d\n", @where); }

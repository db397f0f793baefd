/* every event of an fpid probe is one of diag, after it, whatever its kind */
/* run: -c @tail@ */
fpid$target:a.out:direct:,
fpid$target:a.out:maybe:entry,
fpid$target:a.out:maybe:return,
fpid$target:a.out:through:return,
fpid$target:a.out:coldly:return
{
	@[probename == "entry" ? 0 : probename == "return" ? 1 : 2, "probes"] = count();
	self->last = probename == "entry" ? 0 : probename == "return" ? 1 : 2;
	self->waiting++;
}
diag:::fpid { @[args[0], "diag"] = count(); self->waiting--; }
diag:::fpid /self->waiting < 0/ { printf("an event before its probe\n"); }
END { printa("%d %s %@d\n", @); }

/* the events of diag take stacks as well, and theirs are no news */
/* run: -c @blind@ */
fpid$target:a.out:marked:entry { n++; }
diag:::fpid { @[ustack()] = count(); }
diag:::missed-ustack { m++; }
END { printf("%d %d\n", n, m); }

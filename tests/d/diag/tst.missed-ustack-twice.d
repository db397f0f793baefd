/* once for each firing, whichever of its clauses asked; nothing for its own clauses */
/* run: -c @blind@ */
pid$target:a.out:marked:entry { @[ustack()] = count(); printf("%d\n", ustackdepth); }
pid$target:a.out:marked:entry { @depth = max(ustackdepth); }
pid$target:a.out:marked:return { ustack(2); ucaller; }
diag:::missed-ustack { @own[ustack()] = count(); n++; }
END { printf("%d\n", n); clear(@); trunc(@); }

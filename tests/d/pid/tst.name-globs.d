/* names by globs: offsets alone, or entry and return too */
/* run: -c @once@ */
pid$target:a.out:f:[0-9a-f]* { @["offsets"] = count(); }
pid$target:a.out:f:e* { @["e*"] = count(); }
pid$target:a.out:f:*t*r* { @["*t*r*"] = count(); }
pid$target:a.out:f:ret?rn { @["ret?rn"] = count(); }

/* run: -x aggsize=1024 -x strsize=512 */
/* a string takes strsize: one element fits */
BEGIN { @["a"] = count(); @["b"] = count(); @["c"] = count(); exit(0); }

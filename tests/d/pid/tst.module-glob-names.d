/* modules are read anew while a glob may match others: addresses keep their names */
/* run: -o @tmp@/out -c @throwing@ */
pid$target:libgcc*:_Unwind_RaiseException:entry { @[ufunc(uregs[R_PC])] = count(); }

/* Clauses that are machine code, at sites with arguments in registers and in memory. */
/* run: -qs @file@ -c '@noted@ 9' */
int64_t wide;
noted$target:::twice { @["sum"] = sum(arg0); @b["least"] = min(args[0]); wide += arg0; }
noted$target:::memory /arg6 == 0xf7/ { @["signed"] = sum(arg5); @c["far"] = max(arg7); }
noted$target:::registers { @d["byte", arg7] = count(); }
noted$target:::guarded /arg0 & 1/ { @["odd rounds"] = sum(arg1); }
noted$target:::unreadable { @["value"] = sum(arg1); }
noted$target:::unreadable /arg0/ { @d["never", arg1] = count(); }
noted$target:::more-registers { @["stack pointer"] = sum(arg3 - uregs[R_SP]); }
noted$target:::constants /arg4 != 0/ { @["constants"] = sum(arg1 + arg6); }
END { printf("%d\n", wide); }

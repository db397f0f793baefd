/* Underscores for the dash, globs of each field, and what is not ours. */
/* run: -qs @file@ -c '@noted@ 1' */
noted$target:::more__registers, noted$target:noted:forms:more-registers { @["both", probename] = count(); }
noted*:::twice { @["glob of providers", probename] = count(); }
n?ted$target:a.out:f*:n*e { @["globs", probename] = count(); }
syscall*:::entry /probeprov != "syscall"/ { @["the other provider without a process", probeprov] = count(); }
syscall$target:::entry { @["with the process", arg0 == 1 ? "ours" : "?"] = count(); }
n*$target::forms:many { @["any provider", probename] = count(); }

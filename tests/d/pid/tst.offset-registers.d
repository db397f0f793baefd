/* at an instruction the registers are those before it; arguments read as at an entry */
/* run: -c @once@ */
pid$target:a.out:f:0 { printf("%d %d\n", (int)uregs[R_RDI], (int)arg0); self->ax = uregs[R_RAX]; }
pid$target:a.out:f:3 { printf("%d %d\n", (int)uregs[R_RAX], (int)arg0); }

/* exec, its failure, its success */
/* run: -c "@caller@ @once@" */
proc:::exec { printf("%s\n", copyinstr(arg0)); }
proc:::exec-failure { printf("failure %d\n", arg0); }
proc:::exec-success { printf("success %s\n", execname); }

/* copyin() reads the memory of the sampled thread */
/* run: -c "@spin@ 25000" */
profile-97 /execname == "one" && *(int *)copyin(uregs[20], 4) != 12345678/ { printf("read\n"); exit(0); }

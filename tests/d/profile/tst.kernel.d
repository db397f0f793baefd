/* arg0 is -1 where the kernel used the processor for a system call, also one that the stop cut */
/* run: -c "dd if=/dev/zero of=/dev/null bs=16M count=100000 status=none" */
profile-499 { n++; kernel += arg0 == -1; bad += (arg0 != 0 && arg0 != -1) || arg1 == 0; }
profile-499 /n >= 60/ { exit(0); }
END { printf("%s %d\n", kernel > n * 3 / 4 ? "kernel" : "user", bad); }

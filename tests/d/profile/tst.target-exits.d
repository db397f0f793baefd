/* the process ends by itself; its exit is reported as ever */
/* run: -c @once@ */
profile-997 { n++; }
END { printf("end\n"); }

/* tracing ends when all processes have gone */
/* command: -q -c @once@ -c @dies@ -n 'BEGIN { printf("begin\n"); } pid$target:a.out:f:entry { printf("f\n"); } END { printf("end\n"); }' */

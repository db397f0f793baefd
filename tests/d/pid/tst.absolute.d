/* an address: its function is -, with or without the program's module */
/* command: -l -n 'pid$target::-:401000' -n 'pid$target:a.out:-:401000' -c @plain_nopie@ */

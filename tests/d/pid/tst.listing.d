/* -l shows the probes made */
/* command: -l -n 'pid$target:a.out:f:entry' -n 'pid$target:a.out:f:return' -c @once@ */

/* -l -v: it has no site of its own */
/* command: -lvn 'pid$target:a.out:f:unwound' -c @once@ */

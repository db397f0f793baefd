/* only its name lists it: globs and the empty name list what they always have */
/* command: -l -n 'pid$target:a.out:f:unwound' -n 'pid$target:a.out:f:*n*' -n 'fpid$target:a.out:f:unwound' -c @once@ */

/* command: -ln "pid$target:a.out:helper:entry" -c @inlined@ */

/* the nearest object is told */
/* run: -c @once@ */
pid$target:libcc:exit:entry { exit(0); }

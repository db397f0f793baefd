/* the nearest object is reported */
/* run: -c @once@ */
pid$target:libcc:exit:entry { exit(0); }

/* whose descendant the process is */
/* run: -c @once@ */
BEGIN { printf("%d %d\n", progenyof($pid), progenyof($ppid)); }
pid$target:a.out:f:entry { printf("%d %d %d %d\n", progenyof($target), progenyof($pid), progenyof(1), progenyof(4194303)); }

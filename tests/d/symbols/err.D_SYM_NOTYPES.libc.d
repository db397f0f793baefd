/* run: -c @typed@ */
pid$target:a.out:nothing:entry { trace(libc`environ); }

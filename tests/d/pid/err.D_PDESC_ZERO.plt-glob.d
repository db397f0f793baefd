/* run: -c @names@ */
pid$target:a.out:strle*:entry { n++; }

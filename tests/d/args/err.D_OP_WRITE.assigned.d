/* run: -c @typed@ */
pid$target:a.out:narrow:entry { args[0] = 1; }

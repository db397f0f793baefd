/* run: -c @typed@ */
pid$target:a.out:nothing:entry { a.out`counter++; }

/* run: -c @typed@ */
pid$target:a.out:nothing:entry { trace(nonesuch`counter); }

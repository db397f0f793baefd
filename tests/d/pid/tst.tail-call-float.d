/* so is one that no general register has */
/* run: -x tailcall=jump -c @relay@ */
pid$target:a.out:half:return { print(args[1]); }

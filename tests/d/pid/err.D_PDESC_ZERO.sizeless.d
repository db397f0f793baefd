/* a symbol without a size is no function to trace */
/* run: -c @names@ */
pid$target:a.out:sizeless:entry { n++; }

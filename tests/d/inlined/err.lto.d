/* run: -c @inlined_lto@ */
pid$target:a.out:only_copies:entry {}

/* run: -qs @file@ -c @lined@ */
pid$target:a.out:copies:lined.c@46 { trace(locals.second); }

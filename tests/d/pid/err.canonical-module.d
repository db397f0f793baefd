/* messages show the module's own name */
/* command: -n 'pid$target:libc:nosuch_function_there:entry' -c @once@ */

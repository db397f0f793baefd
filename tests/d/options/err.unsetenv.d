/* command: -x unsetenv=FOO=x -n BEGIN */

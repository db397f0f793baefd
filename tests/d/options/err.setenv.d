/* command: -x setenv=FOO -n BEGIN */

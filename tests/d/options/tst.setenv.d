/* the environment of -c, in the order of the options */
/* run: -x setenv=FOO=bar -x setenv=FOO=last=one -x unsetenv=HOME -x setenv=BAZ=1 -x unsetenv=BAZ -c '/usr/bin/printenv FOO HOME BAZ' */
BEGIN { }

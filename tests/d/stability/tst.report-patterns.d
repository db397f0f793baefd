/* a provider that is not named, or by a pattern, may be any: such a description is unstable */
/* command: -e -v -n dtrace:::BEGIN -n :::BEGIN -n 'd*:::BEGIN' -n 'profile:::tick-1s' */

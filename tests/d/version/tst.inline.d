/* not under valgrind: there dtrace has the tool's name */
inline string name = threadname;
#pragma D option version=1.0
BEGIN { printf("%s\n", name); exit(0); }

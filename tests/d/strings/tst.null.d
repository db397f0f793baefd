/* NULL is a bad address for all that read a string or an address: 24 faults */
#pragma D option quiet
ERROR { n++; bad += arg4 != 1 || arg5 != 0; }
BEGIN { trace(strlen(NULL)); }
BEGIN { trace(strjoin(NULL, "a")); }
BEGIN { trace(strjoin("a", NULL)); }
BEGIN { trace(substr(NULL, 0)); }
BEGIN { trace(strchr(NULL, 'a')); }
BEGIN { trace(strrchr(NULL, 'a')); }
BEGIN { trace(strstr(NULL, "a")); }
BEGIN { trace(strstr("a", NULL)); }
BEGIN { trace(index(NULL, "a")); }
BEGIN { trace(rindex("a", NULL)); }
BEGIN { trace(strtok(NULL, ":")); }
BEGIN { trace(strtok("a", NULL)); }
BEGIN { trace(toupper(NULL)); }
BEGIN { trace(tolower(NULL)); }
BEGIN { trace(basename(NULL)); }
BEGIN { trace(dirname(NULL)); }
BEGIN { trace(cleanpath(NULL)); }
BEGIN { trace(strtoll(NULL)); }
BEGIN { trace(json(NULL, "a")); }
BEGIN { trace(json("{}", NULL)); }
BEGIN { trace(inet_ntoa(NULL)); }
BEGIN { trace(inet_ntoa6(NULL)); }
BEGIN { trace(inet_ntop(2, NULL)); }
BEGIN { trace(link_ntop(1, NULL)); }
BEGIN { printf("%d faults, %d of another kind\n", n, bad); exit(0); }

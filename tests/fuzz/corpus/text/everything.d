BEGIN { this->s = strtok(strjoin("a:b", probename), ":"); x[substr(this->s, 1)] = index("abc", "c"); }
BEGIN /strlen(json("{\"a\": [1]}", "a[0]")) > 0/ { self->p = (int *)alloca(16); *self->p = htonl(5); printf("%s %d\n", inet_ntop(2, self->p), rand()); }
pid$target::main:entry { copyout(alloca(8), arg0, 8); raise(10); @[copyinstr(arg1)] = quantize(strtoll(lltostr(arg2, 16), 16)); }
END { chill(10); copyoutstr(toupper("a"), 1, 2); bcopy(alloca(1), alloca(1), 1); trace(basename(cleanpath(dirname("/a/b")))); }

BEGIN { this->s = strtok(strjoin("a:b", probename), ":"); x[substr(this->s, 1)] = index("abc", "c"); }
BEGIN /strlen(json("{\"a\": [1]}", "a[0]")) > 0/ { self->p = (int *)alloca(16); *self->p = htonl(5); printf("%s %d\n", inet_ntop(2, self->p), rand()); }
pid$target::main:entry { copyout(alloca(8), arg0, 8); raise(10); @[copyinstr(arg1)] = quantize(strtoll(lltostr(arg2, 16), 16)); }
END { chill(10); copyoutstr(toupper("a"), 1, 2); bcopy(alloca(1), alloca(1), 1); trace(basename(cleanpath(dirname("/a/b")))); }
int va[4]; int *vp; struct live { int x; int arr[3]; char text[8]; struct { short u; } in; }; struct live gl; self struct live sl; this struct live tl; struct live el[int]; int m2[2][3];
BEGIN { vp = &va[1]; *vp = 6; vp = va; vp[2]++; vp = &va[4] - 1; self->vp = &self->sl.arr[1]; *self->vp += 2; this->vp = this->tl.arr; this->vp[1] = *(va + 1); }
BEGIN { vp = m2[1]; this->whole = &m2; (*this->whole)[1][2] = 3; *&gl.in.u = -5; gl.text[0] = 'h'; this->c = self->sl.text; this->c[1] = (int)&va[3] - (int)&va[1]; bcopy(gl.text, &self->sl.text[0], 8); }
BEGIN { this->s = probename; this->s[0] = 'b'; gt = "abc"; gt[va[0]]++; self->str = gt; self->str[2] -= 32; el[3] = gl; el[3] = 0; self->sl = 0; gl.arr[-1] = va[0] ? &va[2] == vp : vp - va; }

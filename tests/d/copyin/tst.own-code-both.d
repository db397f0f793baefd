/* the same where one provider has breakpoints among the other's jumps */
/* run: -c @covered@ */
fpid$target:a.out:covered_*:entry { n++; }
pid$target:a.out:covered_jump:8,
pid$target:a.out:covered_jump:return,
pid$target:a.out:covered_callee:4,
pid$target:a.out:covered_call:5,
pid$target:a.out:covered_short:8,
pid$target:a.out:covered_edge:4 { n++; }
fpid$target:a.out:look:entry,
pid$target:a.out:look:entry
{
	tracemem(copyin(arg0, 64), 64);
	tracemem(copyin(arg1, 50), 50);
}
END { printf("%d\n", n); }

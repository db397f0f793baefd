/* samples follow the run times that the kernel reports, for a bursty thread as for a steady one */
/* run: -q -s @file@ -c "@bursty@ 300" */
profile-997 { n[execname]++; ran[execname] = vtimestamp; }
END {
	this->bursts = ran["bursts"] / 1003009; this->steady = ran["steady"] / 1003009;
	printf("%d %d\n", n["bursts"] * 3 > this->bursts * 2 && n["bursts"] * 3 < this->bursts * 4,
	    n["steady"] * 3 > this->steady * 2 && n["steady"] * 3 < this->steady * 4);
	printf("%d\n", this->bursts > 100 && this->steady > 100);
}

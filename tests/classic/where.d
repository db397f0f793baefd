#!/usr/sbin/dtrace -s
/* Processor, thread and process by which a probe fires.
 * run: -c "@errands@ threads" */

#pragma D option quiet

pid$target:a.out:leaf:entry
{
	@all = count();
	@cpus[cpu] = count();
	@same[curcpu->cpu_id == cpu, curlwpsinfo->pr_lwpid == tid,
	    curpsinfo->pr_pid == pid, zonename] = count();
	@threads[curthread] = count();
	@not[curthread == NULL] = count();
}

dtrace:::END
{
	printa("%@d\n", @all);
	trunc(@cpus);
	printa("%d %d %d %s %@d\n", @same);
	printa("no thread %d: %@d\n", @not);
	printa("%@d\n", @threads);
}

/* the probes are those of the process that was named, pid says where they fire */
/* run: -x follow -c "@family@ fork" */
BEGIN { named = lltostr($target); }
pid$target:a.out:work:entry { @[id, probeprov, pid == $target] = count(); }
pid$target:a.out:work:entry
/substr(probeprov, strlen(probeprov) - strlen(named)) != named/
{
	printf("%s\n", probeprov);
}
END { printa("%@d\n", @); }

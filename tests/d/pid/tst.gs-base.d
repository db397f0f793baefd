/* a process that uses the GS base: why its sites are breakpoints stands in the listing */
/* target: gsbase */
/* command: -l -v -n fpid@pid@:a.out:work:entry */

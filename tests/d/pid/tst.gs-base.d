/* a process that uses the GS base: the listing says why its sites are breakpoints */
/* target: gsbase */
/* command: -l -v -n fpid@pid@:a.out:work:entry */

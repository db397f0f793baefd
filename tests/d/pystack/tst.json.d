/* frames of Python in another form: no address, file and line where they are known */
/* run: -q -x pystack -x oformat=json -c @snake11@ */
pid$target:a.out:g:entry
{
	@[ustack(2)] = count();
}

/* run: -c @typed_nodebug@ */
/* no debugging data: D declares the type */
extern unsigned long long busy;
pid$target:a.out:nothing:entry
{
	printf("%d\n", a.out`busy > 0 && busy == a.out`busy);
}

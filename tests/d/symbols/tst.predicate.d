/* run: -c @typed@ */
pid$target:a.out:nothing:entry
/a.out`counter == 7 && a.out`busy > 1/
{
	printf("yes\n");
}
pid$target:a.out:nothing:entry
/a.out`counter != 7/
{
	printf("no\n");
}

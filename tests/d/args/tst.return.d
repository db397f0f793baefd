/* run: -c @typed@ */
pid$target:a.out:narrow:return
{
	/* 255 + 1 in an unsigned char; the offset is that of the return instruction */
	printf("%d %d\n", args[0] == arg0, args[1]);
}
pid$target:a.out:wide:return
{
	printf("%d\n", args[1]);
}
pid$target:a.out:move_point:return
{
	printf("%d\n", *(userland int *)args[1]);
}

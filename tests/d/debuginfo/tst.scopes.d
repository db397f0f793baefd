/* run: -c @typed@ */
pid$target:a.out:narrow:entry
{
	printf("%d %d %d\n", sizeof (a.out`callback_t), sizeof (typed`unnamed_t), sizeof (pid`typed`unnamed_t));
	printf("%d %d\n", sizeof (D`uint16_t), sizeof (uint64_t));
}

/* sizes of the C types and the D names for them */
BEGIN
{
	printf("%d %d %d %d %d\n", sizeof (char), sizeof (short), sizeof (int), sizeof (long),
	    sizeof (long long));
	printf("%d %d %d %d\n", sizeof (int8_t), sizeof (uint16_t), sizeof (int32_t),
	    sizeof (uint64_t));
	printf("%d %d %d %d %d\n", sizeof (size_t), sizeof (intptr_t), sizeof (pid_t),
	    sizeof (id_t), sizeof (ptrdiff_t));
	printf("%d %d %d %d %d\n", sizeof (uchar_t), sizeof (ushort_t), sizeof (uint_t),
	    sizeof (ulong_t), sizeof (u_longlong_t));
	printf("%d %d %d\n", sizeof (char *), sizeof (void **), sizeof (string));
	printf("%d %d\n", sizeof (unsigned), sizeof (signed char));
	exit(0);
}

/* widening and narrowing by casts */
int z; int64_t a; int64_t b; int64_t c; int64_t d; int64_t e; int64_t f;
BEGIN
{
	z = 0xfff0;
	a = (int32_t)(int16_t)z; b = (int32_t)(uint16_t)z; c = (uint32_t)(int16_t)z;
	d = (uint32_t)(uint16_t)z; e = (int16_t)(uint32_t)z; f = (uint16_t)(int32_t)z;
	printf("%d %d %d %d %d %d\n", a, b, c, d, e, f);
	a = (int32_t)(int16_t)0xfff0; b = (int32_t)(uint16_t)0xfff0; c = (uint32_t)(int16_t)0xfff0;
	d = (uint32_t)(uint16_t)0xfff0; e = (int16_t)(uint32_t)0xfff0; f = (uint16_t)(int32_t)0xfff0;
	printf("%d %d %d %d %d %d\n", a, b, c, d, e, f);
	exit(0);
}

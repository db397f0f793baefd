/* One probe for each function that has the line. */
/* run: -ls @file@ -c @lined@ */
pid$target:a.out::lined.c@23,
pid$target:a.out:sum:lined.c@4?,
pid$target:a.out:twi*:inlined
{
}

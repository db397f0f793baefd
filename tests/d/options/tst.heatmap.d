/* the histogram is printed as well; its unit may be any text */
/* run: -x heatmap=@tmp@/h.svg -x heatmapunit=requests */
BEGIN
{
	@ = lquantize(5, 0, 10, 5);
	exit(0);
}

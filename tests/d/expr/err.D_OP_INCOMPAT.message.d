/* both types and the operator are named */
BEGIN
{
	x = 1;
	x = "text";
	exit(0);
}

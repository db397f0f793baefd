/* a file needs a body */
BEGIN

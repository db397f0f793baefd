/* SPDX-License-Identifier: MIT */
#ifndef VM_BASE_TEXT_DECIMAL_POINT_H
#define VM_BASE_TEXT_DECIMAL_POINT_H

/* Makes the decimal point of the locale in a number of printf(3) a '.'. */
void decimal_point_set(char *number);

#endif

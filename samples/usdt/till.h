/* SPDX-License-Identifier: MIT */
#ifndef TILL_H
#define TILL_H

#ifdef __cplusplus
extern "C" {
#endif
void sell(int order, int cents);
int total(void);
#ifdef __cplusplus
}
#endif

#endif

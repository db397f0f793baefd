/* SPDX-License-Identifier: MIT */
BEGIN { @ = count(); denormalize(@, 5); }

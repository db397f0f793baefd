/* SPDX-License-Identifier: MIT */
BEGIN { @ = count(); normalize(@, 1, 2); }

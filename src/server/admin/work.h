/* SPDX-License-Identifier: Apache-2.0 */
/* What calls about communities, collections and items work with. Internal to the admin channel. */
#ifndef ARCHIVOLT_SERVER_ADMIN_WORK_H
#define ARCHIVOLT_SERVER_ADMIN_WORK_H

#include "server/admin/call.h"
#include "server/site.h"

/* Opened from the data folder's configuration, closed by work_end(), also after a work_begin() that failed. */
struct work {
    struct call *call;
    struct configuration configuration;
    struct repository *repository;
    struct view *view;
    struct transaction *transaction;
    bool configured;
};
enum error_code work_begin(struct work *w, struct call *call, struct error *error) AV_MUST_USE;
enum error_code work_end(struct work *w, enum error_code code) AV_MUST_USE; /* returns `code` */
enum error_code work_commit(struct work *w, struct error *error) AV_MUST_USE;
/* The entity that an argument names by its handle, or by its UUID. */
enum error_code work_find(struct work *w, const char *argument, struct entity *ret, struct error *error) AV_MUST_USE;
enum error_code work_find_kind(struct work *w, const char *argument, enum entity_kind kind, struct entity *ret,
                               struct error *error) AV_MUST_USE;

#endif

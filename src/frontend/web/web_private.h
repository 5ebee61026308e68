/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this front end share. Nobody else includes this. */
#ifndef ARCHIVOLT_FRONTEND_WEB_PRIVATE_H
#define ARCHIVOLT_FRONTEND_WEB_PRIVATE_H

#include "frontend/web/web.h"
#include "http/condition.h"
#include "repository/repository.h"

#define WEB_ARGUMENTS_MAXIMUM 4u
#define WEB_PAGE 100u /* communities, collections or items on one page */

/*
 * Routes: X(pattern, function). A segment "*" takes any one, "#" a number, "**" the rest (one segment or more, joined by '/'); these
 * are the arguments. The first that fits answers, in the event thread; web_post_ takes POST, all others are read.
 */
#define WEB_ROUTES(X)                                                                              \
    X("", web_get_root)                                                                            \
    X("handle/*/*", web_get_handle)                                                                \
    X("robots.txt", web_get_robots)                                                                \
    X("sitemap.xml", web_get_sitemaps)                                                             \
    X("sitemaps/#", web_get_sitemap)                                                               \
    X("#", web_get_number)                                                                         \
    X("id/eprint/#", web_get_eprint)                                                               \
    X("id/eprint/#/#/**", web_get_file_of_eprint)                                                  \
    X("#/#/**", web_get_file_of_eprint)                                                            \
    X("cgi/export/eprint/#/*/**", web_get_export)                                                  \
    X("cgi/export/#/*/**", web_get_export)                                                         \
    X("download.zip", web_post_zip)                                                                \
    X("items/*", web_get_item)                                                                     \
    X("items/*/linkset", web_get_linkset)                                                          \
    X("bitstreams/*/download", web_get_file_by_uuid)                                               \
    X("server/api/core/bitstreams/*/content", web_get_file_by_uuid)                                \
    X("bitstream/handle/*/*/**", web_get_file_by_name)                                             \
    X("bitstream/*/*/#/**", web_get_file_by_sequence)

/* One request's state, in its arena. */
struct web {
    struct repository *repository;
    struct view *view;
    struct text arguments[WEB_ARGUMENTS_MAXIMUM];
    /* what the entity is asked for by: also for its tombstone */
    const char *scheme; /* "handle", "uuid", "number" */
    struct text name;
    struct entity entity;
    struct text after;
    /* made in a worker, answered in the event thread */
    enum error_code (*make)(struct http_request *request, struct error *error);
    const char *media_type;
    int64_t modified_us; /* INT64_MAX: no date tells */
    struct buffer body;
    struct buffer links; /* value of Link */
    struct error error;
    struct zip_request *zip; /* or NULL */
};

static inline struct web *
web_of(struct http_request *request)
{
    return request->state;
}

#define X(pattern, function) void function(struct http_request *request);
WEB_ROUTES(X)
#undef X

/* ---- answer.c ---- */
/* "HOST/a/b" for path "a/b", into the arena; each segment encoded. */
struct text web_url(struct http_request *request, const char *format, ...) AV_PRINTF(2, 3);
/* "HOST/handle/PREFIX/N", or "HOST/items/UUID" before it has a handle. */
struct text web_entity_url(struct http_request *request, const struct entity *entity);
void web_fail(struct http_request *request, const struct error *error);
/* Runs `make` in a worker: it fills body; then the answer goes out with its conditions. */
void web_make(struct http_request *request, enum error_code (*make)(struct http_request *request, struct error *error),
              const char *media_type);
/* Finds what scheme and name say. */
enum error_code web_find_entity(struct http_request *request, struct error *error) AV_MUST_USE;
/* Whether this reader sees private fields: who may change the item. */
bool web_sees_all(struct http_request *request, const struct entity *entity);
/* "123456789/7" and ".zip" to "123456789-7.zip". */
struct text web_file_name(struct http_request *request, struct text name, const char *end);
void web_add_link(struct http_request *request, struct text url, const char *rel, const char *type);

/* ---- page.c: communities and collections, tombstones ---- */
enum error_code web_make_page(struct http_request *request, struct error *error) AV_MUST_USE;
/* Canonical address and where SWORD is, into the head and as Link headers. */
void web_put_discovery(struct http_request *request);
/* Of what is gone; false: there is none. */
bool web_answer_tombstone(struct http_request *request);

/* ---- zip.c ---- */
/* The entity that scheme and name say, as a zip. */
void web_get_zip(struct http_request *request);
void web_zip_release(struct zip_request *self); /* NULL is fine */

/* ---- item_page.c ---- */
enum error_code web_make_item_page(struct http_request *request, struct error *error) AV_MUST_USE;

#endif

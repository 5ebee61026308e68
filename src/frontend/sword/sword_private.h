/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the SWORD front end share. Nobody else includes this. */
#ifndef ARCHIVOLT_FRONTEND_SWORD_PRIVATE_H
#define ARCHIVOLT_FRONTEND_SWORD_PRIVATE_H

#include "frontend/sword/sword.h"
#include "http/receive.h"
#include "repository/repository.h"
#include "xml/xml_write.h"

#define SWORD_ENTRY_TYPE "application/atom+xml;type=entry;charset=utf-8"
#define SWORD_ENTRY_TYPE_1 "application/atom+xml; charset=UTF-8"
#define SWORD_SERVICE_TYPE "application/atomsvc+xml; charset=UTF-8"

enum sword_version { SWORD_1_3, SWORD_2_0 };

/* What a path below the prefix means: X(NAME, "first segment", versions that have it) */
#define SWORD_PARTS(X)                                                                             \
    X(SERVICE, "servicedocument", 1u << SWORD_1_3 | 1u << SWORD_2_0)                               \
    X(DEPOSIT, "deposit", 1u << SWORD_1_3)                                                         \
    X(MEDIA_LINK, "media-link", 1u << SWORD_1_3)                                                   \
    X(COLLECTION, "collection", 1u << SWORD_2_0)                                                   \
    X(EDIT, "edit", 1u << SWORD_2_0)                                                               \
    X(EDIT_MEDIA, "edit-media", 1u << SWORD_2_0)                                                   \
    X(STATEMENT, "statement", 1u << SWORD_2_0)
enum sword_part {
#define X(name, segment, versions) SWORD_PART_##name,
    SWORD_PARTS(X)
#undef X
        SWORD_PART_COUNT
};

/* What the head of a deposit says; texts in the request's arena. */
struct sword_intent {
    enum packaging packaging;
    struct text packaging_text; /* as it was sent, or "" */
    struct text filename;       /* "" none */
    struct text media_type;
    struct text payload_type;   /* of the payload within multipart; "" before it is split */
    struct text on_behalf_of;   /* "" nobody */
    struct text slug;
    struct text request_key;    /* Idempotency-Key with sender and collection, hashed; "" none */
    bool no_op, verbose, in_progress;
    bool metadata_relevant;
    struct expected_digests digests;
};

struct sword {
    enum sword_version version;
    enum sword_part part;
    struct text rest;      /* decoded path after the part, without slash: a handle, a UUID */
    struct repository *repository;
    struct view *view;
    struct entity entity;  /* that the path names; kind says */
    struct collection_policy policy;
    struct sword_intent intent;
    struct arena arena;    /* of the package: bounded by its own limits, not by the request's */
    struct package package;
    bool has_package;
    struct upload *entry, *payload; /* parts of a multipart body */
    struct edit edit;      /* of an item that is there */
    http_step *changed;    /* answers once the edit is committed */
    struct text location;  /* of the answer, where it is another than the version's own; "" */
    struct transaction *transaction;
    struct new_entity made;
    struct first_answer *first; /* of the deposit that was made with this request_key, or NULL */
    struct text fingerprint;    /* of the request, where it has a key */
    struct principal depositor; /* to whom it belongs: the person asking, or the one meant by on-behalf-of */
    struct error error;    /* of work done in a worker */
};

static inline struct sword *
sword_of(struct http_request *request)
{
    return request->state;
}

/* ---- errors.c ---- */
/* X(NAME, "URI's end", status in 1.3, status in 2.0): errors that the profiles name. */
#define SWORD_ERRORS(X)                                                                            \
    X(CONTENT, "ErrorContent", 415, 415)                                                           \
    X(NOT_ACCEPTABLE, "ErrorContent", 406, 406)                                                    \
    X(CHECKSUM, "ErrorChecksumMismatch", 412, 412)                                                 \
    X(BAD_REQUEST, "ErrorBadRequest", 400, 400)                                                    \
    X(TARGET_OWNER_UNKNOWN, "TargetOwnerUnknown", 401, 403)                                        \
    X(MEDIATION, "MediationNotAllowed", 412, 412)                                                  \
    X(KEY_REUSED, "ErrorBadRequest", 422, 422)                                                     \
    X(METHOD, "MethodNotAllowed", 405, 405)                                                        \
    X(TOO_LARGE, "MaxUploadSizeExceeded", 413, 413)
enum sword_error {
#define X(name, end, status_1, status_2) SWORD_ERROR_##name,
    SWORD_ERRORS(X)
#undef X
        SWORD_ERROR_COUNT
};
void sword_refuse(struct http_request *request, enum sword_error which, const char *format, ...) AV_PRINTF(3, 4);
/* Any error of the model, as an error document with the status that fits. */
void sword_fail(struct http_request *request, const struct error *error);
/* 0 when the code has no status: a test proves that none is missing. */
unsigned sword_status(enum sword_version version, enum error_code code);

/* ---- intent.c: reads the head. False: answered. ---- */
bool sword_read_intent(struct http_request *request);
/* The name in a Content-Disposition, in any of the spellings in use; "" none. INVALID. */
enum error_code sword_filename(struct http_request *request, struct text disposition, struct text *ret_name,
                               struct error *error) AV_MUST_USE;

/* UNSUPPORTED, naming those that are known. */
enum error_code sword_unknown_packaging(struct http_request *request, struct text packaging, struct error *error);
bool sword_read_md5(struct text value, unsigned char ret[DIGEST_SIZE_MAX]);

/* ---- body.c ---- */
enum sword_body { SWORD_BODY_PAYLOAD, SWORD_BODY_ENTRY, SWORD_BODY_MULTIPART };
enum sword_body sword_body_kind(const struct http_request *request);
/* What may be kept as it came; NULL: nothing (an entry). */
struct upload **sword_original(struct http_request *request);
/* UNSUPPORTED, LIMIT: what the collection's policy says of a body of this size. */
enum error_code sword_check_policy(struct http_request *request, uint64_t size_bytes, struct error *error) AV_MUST_USE;
/* Makes sword->package of what was received. Blocks. */
enum error_code sword_unpack(struct http_request *request, struct error *error) AV_MUST_USE;

/* ---- service.c ---- */
void sword_get_service(struct http_request *request);

/* ---- deposit.c ---- */
void sword_post_collection(struct http_request *request);

/* ---- entry.c ---- */
/* URLs of an entity in the words of the version; in the arena. */
struct text sword_url(struct http_request *request, enum sword_part part, struct text rest);
/* An answer that has an entry in its body: of a deposit (201, 202), of the Edit-IRI (200). */
void sword_answer_entry(struct http_request *request, unsigned status, const struct entity *item);
/* The login name; "" when the person asking may not know it. */
struct text sword_person_name(struct http_request *request, uint64_t user_id);
void sword_put_time(struct xml_writer *xml, const char *element, int64_t time_us);

/* A text with another behind it, in the arena. */
struct text sword_join(struct http_request *request, struct text first, const char *end);
/* Address of one file of an item. */
struct text sword_file_url(struct http_request *request, struct text uuid, struct text name);
/* Declaration and root, with the four prefixes bound. */
void sword_begin_document(struct xml_writer *xml, const char *root, enum sword_version version);
void sword_put_link(struct xml_writer *xml, const char *rel, struct text href, const char *type);
/* Moves the body into an answer, or tells the buffer's error. */
void sword_answer_xml(struct http_request *request, unsigned status, const char *type, struct buffer *body);

/* ---- edit.c: the Edit-IRI; changes of an item that is there ---- */
void sword_edit(struct http_request *request);
/* Receives the body and changes the item by sword->edit; then `next`, once it is committed. */
void sword_change(struct http_request *request, http_step *next);
/* The item that the path names, as it is now. False: answered. */
bool sword_find_item(struct http_request *request, struct text uuid);

/* ---- media.c: media link, EM-IRI, files ---- */
void sword_media(struct http_request *request);

/* ---- zip_stream.c ---- */
/* The item's files (bundle ORIGINAL) as a zip, made as it is sent. */
enum error_code sword_answer_zip(struct http_request *request, struct error *error) AV_MUST_USE;

/* ---- statement.c: statements, the feed of an item's files ---- */
void sword_get_statement(struct http_request *request);
void sword_get_feed(struct http_request *request);
/* "http://dspace.org/state/archived" */
const char *sword_state_uri(enum item_state state);

#endif

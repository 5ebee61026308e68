/* SPDX-License-Identifier: Apache-2.0 */
/*
 * struct configuration: every setting of the server, from one table.
 *
 * A value comes from, the later the stronger: its default; the file DATA/archivolt.conf (INI without
 * sections, `key = value`; a [section] puts its name and `_` before its keys); the environment,
 * ARCHIVOLT_KEY in capitals; settings given on the command line, key=value.
 * Life: configuration_load() - reading - configuration_release(). Threads: any, once loaded.
 */
#ifndef ARCHIVOLT_SERVER_CONFIGURATION_H
#define ARCHIVOLT_SERVER_CONFIGURATION_H

#include "base/buffer.h"
#include "model/limits.h"
#include "package/package.h"

/* X(key, KIND, default, help); KIND: TEXT; NUMBER, with K, M or G for 1,024 each; SWITCH, yes or no. */
#define SETTINGS(X)                                                                                \
    X(http, TEXT, "127.0.0.1:8080", "address and port to listen on; port 0 takes a free one")      \
    X(http_threads, NUMBER, "2", "threads that run requests")                                      \
    X(http_workers, NUMBER, "2", "threads for what blocks: password hashes, the end of large uploads") \
    X(http_queue, NUMBER, "1024", "jobs that may wait for a worker; beyond: 503")                  \
    X(http_connection_bytes, NUMBER, "48K", "memory of a connection; half of it reads ahead")      \
    X(http_head_bytes, NUMBER, "20K", "longest head of a request")                                 \
    X(http_body_bytes, NUMBER, "0", "longest body of a request; 0: no limit")                      \
    X(http_request_bytes, NUMBER, "1M", "memory of one request beside its body")                   \
    X(http_connections, NUMBER, "8192", "connections at a time; beyond: 503")                      \
    X(http_idle_timeout_s, NUMBER, "120", "a connection on which no byte flows is closed after so long; 0: never") \
    X(http_tls_certificate, TEXT, "", "PEM file with the certificate chain; with http_tls_key: HTTPS") \
    X(http_tls_key, TEXT, "", "PEM file with the private key")                                     \
    X(base_url, TEXT, "", "what clients see before /rest, as https://example.org; empty: from the Host header") \
    X(site_name, TEXT, "Archivolt", "name of the repository, for people and harvesters")           \
    X(site_email, TEXT, "", "address of its administrator; empty: admin@ and oai_identifier")      \
    X(handle_prefix, TEXT, "123456789", "prefix of the handles that are given out")                \
    X(handle_canonical_prefix, TEXT, "http://hdl.handle.net/", "what stands before a handle in its URI") \
    X(oai_identifier, TEXT, "", "middle of OAI identifiers, a domain name; empty: that of base_url, else archivolt.example.org") \
    X(repository_root, TEXT, "/repository", "container that communities, collections and items are in") \
    X(zone, TEXT, "UTC", "of embargo dates: UTC, or an offset like +01:00")                        \
    X(crosswalk_folder, TEXT, "", "stylesheets NAME-in.xsl, NAME-out.xsl that replace or join ours; empty: DATA/crosswalks") \
    X(record_cache, NUMBER, "32M", "memory for records of harvests, kept until they change; 0: none") \
    X(access_log, TEXT, "errors", "requests that get a line: off, errors (5xx, 401, cut), writes (these and writes), all") \
    X(log_level, TEXT, "info", "debug, info, warning or error")                                    \
    X(volume_size, NUMBER, "0", "bytes after which a volume is sealed; 0: the store's own")        \
    X(small_content, NUMBER, "0", "content up to this size goes through memory; 0: the store's own") \
    X(content_memory, NUMBER, "0", "memory for content on its way in, all uploads together; 0: the store's own") \
    X(catalog_cache, NUMBER, "0", "memory of the catalog's cache; 0: the store's own")             \
    X(bulk_open, NUMBER, "0", "large uploads at a time; 0: the store's own")                       \
    X(accept_clock, SWITCH, "no", "start although the clock is behind the last commit")

struct configuration {
    /* a text lives until release; a switch is 0 or 1 */
#define CONFIGURATION_TEXT(key) char *key;
#define CONFIGURATION_NUMBER(key) uint64_t key;
#define CONFIGURATION_SWITCH(key) uint64_t key;
#define X(key, kind, standard, help) CONFIGURATION_##kind(key)
    SETTINGS(X)
#undef X
#undef CONFIGURATION_TEXT
#undef CONFIGURATION_NUMBER
#undef CONFIGURATION_SWITCH
    struct model_limits limits;
    struct package_limits package_limits;
};

/* `settings`: "key=value", NULL-terminated, or NULL. INVALID: an unknown key or a bad value, with file
 * and line. A file that is not there is fine. */
enum error_code configuration_load(const char *folder, const char *const *settings, struct configuration *ret_configuration,
                                   struct error *error) AV_MUST_USE;
void configuration_release(struct configuration *configuration);
/* Every key with its value in force, default, and help, one a line as the file would have it. */
void configuration_describe(const struct configuration *configuration, struct buffer *ret_text);

#endif

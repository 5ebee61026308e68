/* SPDX-License-Identifier: Apache-2.0 */
/* HTTP over libcurl's easy interface; see http_client.h. */
#include "client/http_client.h"

#include "base/ensure.h"

#include <curl/curl.h>
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#define IDLE_MS 300000u
#define CONNECT_MS 30000L
#define ANSWER_BYTES (16u << 20)

struct http_client {
    struct http_client_options options;
    CURL *curl;
};

/* What the callbacks of one exchange share. */
struct transfer {
    struct http_exchange *exchange;
    uint64_t at; /* in the body */
    int os_errno; /* reading it failed */
    char message[CURL_ERROR_SIZE];
};

static void
start_library(void)
{
    curl_global_init(CURL_GLOBAL_DEFAULT);
}

enum error_code
http_client_new(const struct http_client_options *options, struct http_client **ret_client, struct error *error)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start_library);
    struct http_client *client = calloc(1, sizeof *client);
    ensure(client != NULL);
    client->options = *options;
    if (client->options.idle_ms == 0)
        client->options.idle_ms = IDLE_MS;
    if (client->options.answer_bytes == 0)
        client->options.answer_bytes = ANSWER_BYTES;
    client->curl = curl_easy_init();
    if (client->curl == NULL) {
        free(client);
        return error_set(error, ERROR_NO_MEMORY, "no memory for a connection");
    }
    *ret_client = client;
    return ERROR_NONE;
}

void
http_client_free(struct http_client *client)
{
    if (client == NULL)
        return;
    curl_easy_cleanup(client->curl);
    free(client);
}

void
http_exchange_release(struct http_exchange *exchange)
{
    buffer_release(&exchange->location);
    buffer_release(&exchange->content_type);
    buffer_release(&exchange->retry_after);
    buffer_release(&exchange->server);
    buffer_release(&exchange->content);
}

/* ---- callbacks ------------------------------------------------------------------------------------------------ */

static size_t
read_body(char *to, size_t size, size_t count, void *context)
{
    struct transfer *transfer = context;
    uint64_t left = transfer->exchange->body_bytes - transfer->at;
    size_t wanted = size * count < left ? size * count : (size_t)left;
    if (wanted == 0)
        return 0;
    ssize_t got;
    do
        got = pread(transfer->exchange->body, to, wanted, (off_t)transfer->at);
    while (got < 0 && errno == EINTR);
    if (got <= 0) { /* it has become shorter since */
        transfer->os_errno = got < 0 ? errno : EIO;
        return CURL_READFUNC_ABORT;
    }
    transfer->at += (uint64_t)got;
    return (size_t)got;
}

static int
seek_body(void *context, curl_off_t offset, int origin)
{
    struct transfer *transfer = context;
    if (origin != SEEK_SET)
        return CURL_SEEKFUNC_CANTSEEK;
    transfer->at = (uint64_t)offset;
    return CURL_SEEKFUNC_OK;
}

static size_t
take_content(char *data, size_t size, size_t count, void *context)
{
    struct transfer *transfer = context;
    struct buffer *content = &transfer->exchange->content;
    buffer_append(content, data, size * count);
    return content->status == ERROR_NONE ? size * count : 0;
}

static size_t
take_header(char *data, size_t size, size_t count, void *context)
{
    struct http_exchange *exchange = ((struct transfer *)context)->exchange;
    const struct {
        struct text name;
        struct buffer *value;
    } wanted[] = {{TEXT("location"), &exchange->location},
                  {TEXT("content-type"), &exchange->content_type},
                  {TEXT("retry-after"), &exchange->retry_after},
                  {TEXT("server"), &exchange->server}};
    struct text line = text_of(data, size * count), value;
    while (line.length > 0 && (line.data[line.length - 1] == '\n' || line.data[line.length - 1] == '\r'))
        line.length--;
    struct text name = text_cut(line, ':', &value);
    for (size_t i = 0; value.data != NULL && i < sizeof wanted / sizeof *wanted; i++) {
        if (!text_equal_ignoring_case(name, wanted[i].name))
            continue;
        buffer_clear(wanted[i].value);
        buffer_append_text(wanted[i].value, text_trim(value));
    }
    return size * count;
}

/* ---- one exchange --------------------------------------------------------------------------------------------- */

/* A shorthand: a failure here is a mistake of ours or no memory. */
#define SET(option, value) ensure(curl_easy_setopt(curl, CURLOPT_##option, value) == CURLE_OK)

static void
set_request(struct http_client *client, struct transfer *transfer, struct curl_slist *headers)
{
    CURL *curl = client->curl;
    const struct http_exchange *exchange = transfer->exchange;
    curl_easy_reset(curl);
    SET(URL, exchange->url);
    SET(PROTOCOLS_STR, "http,https");
    SET(NOSIGNAL, 1L);
    SET(ERRORBUFFER, transfer->message);
    SET(CONNECTTIMEOUT_MS, CONNECT_MS);
    SET(LOW_SPEED_LIMIT, 1L);
    SET(LOW_SPEED_TIME, (long)((client->options.idle_ms + 999) / 1000));
    SET(USERAGENT, "archivolt/" ARCHIVOLT_VERSION);
    if (exchange->body >= 0) {
        SET(FRESH_CONNECT, 1L); /* on a kept connection that turns out dead it would send the body again by itself */
        SET(UPLOAD, 1L);
        SET(READFUNCTION, read_body);
        SET(READDATA, transfer);
        SET(SEEKFUNCTION, seek_body);
        SET(SEEKDATA, transfer);
        SET(INFILESIZE_LARGE, (curl_off_t)exchange->body_bytes);
    }
    SET(CUSTOMREQUEST, exchange->method);
    SET(HTTPHEADER, headers);
    SET(WRITEFUNCTION, take_content);
    SET(WRITEDATA, transfer);
    SET(HEADERFUNCTION, take_header);
    SET(HEADERDATA, transfer);
    if (client->options.user == NULL)
        return;
    SET(HTTPAUTH, CURLAUTH_BASIC);
    SET(USERNAME, client->options.user);
    SET(PASSWORD, client->options.password);
}

/* libcurl has more than a hundred reasons: what a caller tells apart. */
static enum error_code
code_of(CURLcode code)
{
    static const struct {
        CURLcode curl;
        enum error_code code;
    } known[] = {{CURLE_UNSUPPORTED_PROTOCOL, ERROR_INVALID},    {CURLE_URL_MALFORMAT, ERROR_INVALID},
                 {CURLE_OPERATION_TIMEDOUT, ERROR_TIMEOUT},      {CURLE_WRITE_ERROR, ERROR_LIMIT},
                 {CURLE_PEER_FAILED_VERIFICATION, ERROR_PROTOCOL}, {CURLE_SSL_CONNECT_ERROR, ERROR_PROTOCOL},
                 {CURLE_WEIRD_SERVER_REPLY, ERROR_PROTOCOL}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].curl == code)
            return known[i].code;
    return ERROR_CLOSED;
}

static enum error_code
tell_failure(const struct http_client *client, const struct transfer *transfer, CURLcode code, struct error *error)
{
    const char *url = transfer->exchange->url;
    if (code == CURLE_ABORTED_BY_CALLBACK)
        return error_set_errno(error, transfer->os_errno, "cannot read what is to be sent");
    if (code == CURLE_WRITE_ERROR)
        return error_set(error, ERROR_LIMIT, "%s: the answer is longer than %zu bytes", url, client->options.answer_bytes);
    return error_set(error, code_of(code), "%s: %s", url,
                     transfer->message[0] == '\0' ? curl_easy_strerror(code) : transfer->message);
}

enum error_code
http_client_send(struct http_client *client, struct http_exchange *exchange, struct error *error)
{
    struct transfer transfer = {.exchange = exchange};
    struct curl_slist *headers = NULL;
    long status = 0, sent = 0;
    http_exchange_release(exchange);
    buffer_init(&exchange->content, client->options.answer_bytes);
    exchange->status = 0;
    for (size_t i = 0; i < HTTP_CLIENT_HEADERS_MAX && exchange->headers[i] != NULL; i++) {
        struct curl_slist *longer = curl_slist_append(headers, exchange->headers[i]);
        ensure(longer != NULL);
        headers = longer;
    }
    set_request(client, &transfer, headers);
    CURLcode code = curl_easy_perform(client->curl);
    curl_easy_getinfo(client->curl, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(client->curl, CURLINFO_REQUEST_SIZE, &sent);
    curl_slist_free_all(headers);
    exchange->sent = sent > 0;
    /* A server that refuses may answer and hang up before all was sent. */
    if (code == CURLE_OK || (code == CURLE_SEND_ERROR && status >= 400)) {
        exchange->status = (unsigned)status;
        return ERROR_NONE;
    }
    return tell_failure(client, &transfer, code, error);
}

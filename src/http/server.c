/* SPDX-License-Identifier: Apache-2.0 */
/* Starting and stopping libmicrohttpd: see http.h. */
#include "base/ensure.h"
#include "base/log.h"
#include "http/http_private.h"
#include "http/workers.h"
#include "io/clock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <stdarg.h>
#include <sys/socket.h>
#include <unistd.h>

#define KEY_FILE_BYTES_MAXIMUM (1u << 20)
#define STOP_STEP_US 5000
#define STOP_SLEEPERS_MS 60000
#define STOP_ANSWERS_MS 10000
/* Connections beyond the limit that are still taken, to be told so with a 503. */
#define CONNECTIONS_TO_REFUSE 64u
/* What the kernel takes of an answer beyond what the client has room for. The time-out counts what the kernel takes:
 * with its own buffer of megabytes a client that reads a few kilobytes a second would look idle. */
#define UNSENT_BYTES 16384

/* ---- listening --------------------------------------------------------------------------------------- */

static enum error_code
split_address(struct text address, char host[256], char port[16], struct error *error)
{
    size_t colon = address.length;
    while (colon > 0 && address.data[colon - 1] != ':')
        colon--;
    if (colon == 0)
        return error_set(error, ERROR_INVALID, "address %.*s: wanted HOST:PORT", TEXT_ARG(address));
    struct text name = text_of(address.data, colon - 1);
    struct text number = text_of(address.data + colon, address.length - colon);
    uint64_t value;
    if (name.length >= 2 && name.data[0] == '[' && name.data[name.length - 1] == ']')
        name = text_of(name.data + 1, name.length - 2);
    if (!text_to_u64(number, &value) || value > 65535 || name.length >= 256)
        return error_set(error, ERROR_INVALID, "address %.*s: wanted HOST:PORT", TEXT_ARG(address));
    snprintf(host, 256, "%.*s", TEXT_ARG(name));
    snprintf(port, 16, "%u", (unsigned)value);
    return ERROR_NONE;
}

static enum error_code
bind_first(const struct addrinfo *list, int *ret_socket, struct error *error, struct text address)
{
    int last_errno = 0;
    for (const struct addrinfo *each = list; each != NULL; each = each->ai_next) {
        int on = 1, unsent = UNSENT_BYTES, fd = socket(each->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (fd < 0) {
            last_errno = errno;
            continue;
        }
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent, sizeof unsent); /* connections inherit it */
        if (bind(fd, each->ai_addr, each->ai_addrlen) == 0 && listen(fd, 1024) == 0) {
            *ret_socket = fd;
            return ERROR_NONE;
        }
        last_errno = errno;
        close(fd);
    }
    return error_set_errno(error, last_errno, "cannot listen on %.*s", TEXT_ARG(address));
}

static enum error_code
listen_on(struct text address, int *ret_socket, struct error *error)
{
    char host[256], port[16];
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE}, *list;
    if (split_address(address, host, port, error) != ERROR_NONE)
        return error->code;
    int failed = getaddrinfo(host[0] == '\0' ? NULL : host, port, &hints, &list);
    if (failed != 0)
        return error_set(error, ERROR_INVALID, "address %.*s: %s", TEXT_ARG(address), gai_strerror(failed));
    enum error_code code = bind_first(list, ret_socket, error, address);
    freeaddrinfo(list);
    return code;
}

static void
describe_socket(struct http_server *server, int fd)
{
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    char host[NI_MAXHOST] = "", port[NI_MAXSERV] = "0";
    if (getsockname(fd, (struct sockaddr *)&address, &length) == 0)
        getnameinfo((struct sockaddr *)&address, length, host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV);
    const char *scheme = server->certificate != NULL ? "https" : "http";
    snprintf(server->url, sizeof server->url, strchr(host, ':') == NULL ? "%s://%.80s:%.8s" : "%s://[%.80s]:%.8s", scheme,
             host, port);
    server->port = (uint16_t)strtoul(port, NULL, 10);
}

/* ---- TLS ------------------------------------------------------------------------------------------ */

static enum error_code
read_pem(const char *path, char **ret_text, struct error *error)
{
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return error_set_errno(error, errno, "cannot read %s", path);
    char *text = calloc(1, KEY_FILE_BYTES_MAXIMUM + 1);
    size_t length = text == NULL ? 0 : fread(text, 1, KEY_FILE_BYTES_MAXIMUM, file);
    fclose(file);
    if (text == NULL || length == 0 || strstr(text, "-----BEGIN ") == NULL) {
        free(text);
        return error_set(error, ERROR_INVALID, "%s is not a PEM file", path);
    }
    *ret_text = text;
    return ERROR_NONE;
}

/* A key that needs a password cannot be used: nobody is there to type it. */
static int
no_password(char *buffer, int size, int writing, void *context)
{
    return 0;
}

/* The library that serves says only that it failed, so that the files are looked at here, to name the bad one. */
static enum error_code
check_pair(const struct http_server *server, struct error *error)
{
    const struct http_options *o = &server->options;
    BIO *certificate_text = BIO_new_mem_buf(server->certificate, -1), *key_text = BIO_new_mem_buf(server->key, -1);
    X509 *certificate = PEM_read_bio_X509(certificate_text, NULL, no_password, NULL);
    EVP_PKEY *key = PEM_read_bio_PrivateKey(key_text, NULL, no_password, NULL);
    enum error_code code = ERROR_NONE;
    if (certificate == NULL)
        code = error_set(error, ERROR_INVALID, "%s holds no certificate", o->tls_certificate_file);
    else if (key == NULL)
        code = error_set(error, ERROR_INVALID, "%s holds no private key that can be read without a password",
                         o->tls_key_file);
    else if (X509_check_private_key(certificate, key) != 1)
        code = error_set(error, ERROR_INVALID, "the key %s is not that of the first certificate of %s", o->tls_key_file,
                         o->tls_certificate_file);
    X509_free(certificate);
    EVP_PKEY_free(key);
    BIO_free(certificate_text);
    BIO_free(key_text);
    return code;
}

static enum error_code
read_keys(struct http_server *server, struct error *error)
{
    const struct http_options *options = &server->options;
    bool certificate = options->tls_certificate_file != NULL && options->tls_certificate_file[0] != '\0';
    bool key = options->tls_key_file != NULL && options->tls_key_file[0] != '\0';
    if (certificate != key)
        return error_set(error, ERROR_INVALID, "TLS needs both http_tls_certificate and http_tls_key");
    if (!certificate)
        return ERROR_NONE;
    if (MHD_is_feature_supported(MHD_FEATURE_TLS) != MHD_YES)
        return error_set(error, ERROR_UNSUPPORTED, "this libmicrohttpd is built without TLS");
    if (read_pem(options->tls_certificate_file, &server->certificate, error) != ERROR_NONE)
        return error->code;
    if (read_pem(options->tls_key_file, &server->key, error) != ERROR_NONE)
        return error->code;
    return check_pair(server, error);
}

/* ---- the daemon --------------------------------------------------------------------------------------- */

/* Paths are decoded once, by the front end, from the raw target. */
static size_t
leave_escaped(void *context, struct MHD_Connection *mhd, char *text)
{
    return strlen(text);
}

__attribute__((format(printf, 2, 0))) static void
log_complaint(void *context, const char *format, va_list arguments)
{
    char line[512];
    int length = vsnprintf(line, sizeof line, format, arguments);
    if (length <= 0)
        return;
    size_t end = (size_t)length < sizeof line ? (size_t)length : sizeof line - 1;
    while (end > 0 && line[end - 1] == '\n')
        end--;
    log_event(LOG_DEBUG, "http_library", log_text("message", text_of(line, end)), log_end());
}

static enum error_code
start_daemon(struct http_server *server, int fd, struct error *error)
{
    const struct http_options *o = &server->options;
    unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_TURBO | MHD_USE_ERROR_LOG |
                     (server->certificate != NULL ? MHD_USE_TLS : 0u);
    struct MHD_OptionItem tls[] = {{MHD_OPTION_HTTPS_MEM_CERT, 0, server->certificate},
                                   {MHD_OPTION_HTTPS_MEM_KEY, 0, server->key},
                                   {MHD_OPTION_END, 0, NULL}};
    struct MHD_OptionItem none[] = {{MHD_OPTION_END, 0, NULL}};
    server->daemon = MHD_start_daemon(
        flags, 0, NULL, NULL, connection_handler, server, MHD_OPTION_EXTERNAL_LOGGER, log_complaint, server,
        MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_THREAD_POOL_SIZE, o->threads, MHD_OPTION_CONNECTION_LIMIT,
        o->connections + CONNECTIONS_TO_REFUSE * o->threads, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        o->connection_memory_bytes, MHD_OPTION_CONNECTION_TIMEOUT, o->idle_timeout_s, MHD_OPTION_UNESCAPE_CALLBACK,
        leave_escaped, server, MHD_OPTION_URI_LOG_CALLBACK, connection_target, server, MHD_OPTION_NOTIFY_COMPLETED,
        connection_completed, server, MHD_OPTION_NOTIFY_CONNECTION, connection_notify, server, MHD_OPTION_ARRAY,
        server->certificate != NULL ? tls : none, MHD_OPTION_END);
    if (server->daemon == NULL)
        return error_set_errno(error, errno, "cannot start the HTTP server");
    return ERROR_NONE;
}

static void
copy_options(struct http_server *server, const struct http_options *options)
{
    server->options = *options;
    server->address = text_copy(options->address);
    server->base_url = text_copy(options->base_url);
    server->options.address = text_from(server->address);
    server->options.base_url = text_from(server->base_url);
    while (options->front_ends[server->front_end_count] != NULL)
        server->front_end_count++;
    ensure(server->front_end_count <= HTTP_FRONT_ENDS_MAXIMUM);
    uint64_t chance;
    random_real()->fill(random_real(), &chance, sizeof chance);
    snprintf(server->id_prefix, sizeof server->id_prefix, "%010llx", (unsigned long long)(chance & 0xFFFFFFFFFFull));
}

static void
server_free(struct http_server *server)
{
    workers_free(server->workers);
    free(server->certificate);
    free(server->key);
    free(server->address);
    free(server->base_url);
    free(server);
}

enum error_code
http_server_start(const struct http_options *options, struct http_server **ret_server, struct error *error)
{
    struct http_server *server = calloc(1, sizeof *server);
    int fd = -1;
    if (server == NULL)
        return error_set(error, ERROR_NO_MEMORY, "no memory for the HTTP server");
    copy_options(server, options);
    if (read_keys(server, error) != ERROR_NONE ||
        workers_new(options->workers, options->queue, &server->workers, error) != ERROR_NONE ||
        listen_on(server->options.address, &fd, error) != ERROR_NONE)
        goto fail;
    describe_socket(server, fd);
    if (start_daemon(server, fd, error) != ERROR_NONE)
        goto fail;
    *ret_server = server;
    return ERROR_NONE;
fail:
    if (fd >= 0)
        close(fd);
    server_free(server);
    return error->code;
}

/* ---- stopping ------------------------------------------------------------------------------------- */

static bool
wait_until_zero(const _Atomic unsigned *counter, unsigned timeout_ms)
{
    for (unsigned waited_us = 0; waited_us / 1000 < timeout_ms; waited_us += STOP_STEP_US) {
        if (atomic_load(counter) == 0)
            return true;
        usleep(STOP_STEP_US);
    }
    return atomic_load(counter) == 0;
}

/* Connections end by themselves once what sleeps has been answered; the library cuts the rest. A sleeper
 * must be woken first: the library does not stop over one, and its transaction refers to it. */
void
http_server_stop(struct http_server *server)
{
    if (server == NULL)
        return;
    atomic_store(&server->stopping, true);
    int fd = MHD_quiesce_daemon(server->daemon);
    ensure(wait_until_zero(&server->sleeping, STOP_SLEEPERS_MS));
    wait_until_zero(&server->answering, STOP_ANSWERS_MS);
    ensure(wait_until_zero(&server->sleeping, STOP_SLEEPERS_MS));
    MHD_stop_daemon(server->daemon);
    if (fd >= 0)
        close(fd);
    server_free(server);
}

uint16_t
http_server_port(const struct http_server *server)
{
    return server->port;
}

const char *
http_server_url(const struct http_server *server)
{
    return server->url;
}

struct http_metrics *
http_server_metrics(struct http_server *server)
{
    return &server->metrics;
}

unsigned
http_server_connections(const struct http_server *server)
{
    return atomic_load(&server->connections);
}

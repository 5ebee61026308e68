/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who is asking: Bearer token, or Basic with a password or a token in its place (RFC 6750, RFC 7617).
 * Tokens and remembered passwords are checked in the event thread; a password that needs its
 * Argon2 run goes to a worker while the connection sleeps. No credentials: the anonymous principal.
 */
#include "format/base64.h"
#include "http/field.h"
#include "http/http_private.h"

#define CREDENTIALS_BYTES_MAXIMUM 2048u

struct login {
    struct text name, password;
    enum error_code outcome;
    struct error error;
};

static void
begin(struct http_request *request)
{
    request->front_end->begin(request);
}

static void
conclude(struct http_request *request, enum error_code outcome, const struct error *error)
{
    if (outcome == ERROR_NONE) {
        begin(request);
    } else if (outcome == ERROR_BUSY) {
        http_set_header_static(request, "Retry-After", "1");
        http_answer_error(request, 503, error);
    } else if (outcome == ERROR_UNAUTHENTICATED) {
        http_answer_error(request, 401, error);
    } else {
        http_answer_error(request, 500, error);
    }
}

static void
check_password(struct http_request *request)
{
    struct login *login = request->state;
    login->outcome = model_authenticate(request->model, login->name, login->password, request->arena,
                                        &request->principal, &login->error);
}

static void
password_checked(struct http_request *request)
{
    struct login *login = request->state;
    request->state = NULL;
    conclude(request, login->outcome, &login->error);
}

static bool
is_token_of(struct http_request *request, const struct login *login)
{
    struct principal principal;
    if (model_authenticate_token(request->model, login->password, request->arena, &principal, NULL) != ERROR_NONE ||
        !text_equal(principal.name, login->name))
        return false;
    request->principal = principal;
    return true;
}

static void
check_login(struct http_request *request, struct login *login)
{
    struct error error = {0};
    if (is_token_of(request, login)) {
        begin(request);
        return;
    }
    request->state = login;
    if (model_password_remembered(request->model, login->name, login->password)) {
        check_password(request);
        password_checked(request);
    } else if (http_work(request, check_password, password_checked, &error) != ERROR_NONE) {
        conclude(request, error.code, &error);
    }
}

static bool
read_basic(struct http_request *request, struct text credentials, struct login **ret_login)
{
    struct login *login = arena_alloc(request->arena, sizeof *login);
    unsigned char *decoded = arena_alloc(request->arena, BASE64_DECODED_MAX(credentials.length) + 1);
    size_t length;
    if (login == NULL || decoded == NULL || !base64_decode(credentials, decoded, &length))
        return false;
    login->name = text_cut(text_of((char *)decoded, length), ':', &login->password);
    *ret_login = login;
    return login->password.data != NULL;
}

static void
refuse_credentials(struct http_request *request, const char *message)
{
    struct error error = {0};
    error_set(&error, ERROR_UNAUTHENTICATED, "%s", message);
    http_answer_error(request, 401, &error);
}

void
authenticate(struct http_request *request)
{
    struct text header = request->headers[HTTP_HEADER_AUTHORIZATION], credentials;
    struct text scheme = text_cut(header, ' ', &credentials);
    struct error error = {0};
    struct login *login;
    if (header.data == NULL || request->front_end->open) {
        begin(request);
        return;
    }
    credentials = text_trim(credentials);
    if (credentials.length == 0 || credentials.length > CREDENTIALS_BYTES_MAXIMUM) {
        refuse_credentials(request, "the Authorization header holds no credentials");
    } else if (text_equal_ignoring_case(scheme, TEXT("Bearer"))) {
        enum error_code outcome =
            model_authenticate_token(request->model, credentials, request->arena, &request->principal, &error);
        conclude(request, outcome, &error);
    } else if (!text_equal_ignoring_case(scheme, TEXT("Basic"))) {
        refuse_credentials(request, "the Authorization scheme is not Basic or Bearer");
    } else if (!read_basic(request, credentials, &login)) {
        refuse_credentials(request, "the Basic credentials are not base64 of name:password");
    } else {
        check_login(request, login);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz target: multipart bodies. The same bytes in one piece and in pieces of three give the same parts. */
#include "base/ensure.h"
#include "format/multipart.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum error_code
take(void *context, struct text head, struct error *error)
{
    buffer_append_char(context, '[');
    buffer_append_text(context, head);
    return ERROR_NONE;
}

static enum error_code
take_data(void *context, const char *data, size_t length, struct error *error)
{
    buffer_append(context, data, length);
    return ERROR_NONE;
}

static enum error_code
take_end(void *context, struct error *error)
{
    buffer_append_char(context, ']');
    return ERROR_NONE;
}

static enum error_code
read_all(struct text body, size_t piece, struct buffer *seen)
{
    struct multipart_handler handler = {take, take_data, take_end, seen};
    struct multipart multipart;
    enum error_code code = multipart_init(&multipart, TEXT("b"), &handler, NULL);
    for (size_t at = 0; at < body.length && code == ERROR_NONE; at += piece)
        code = multipart_write(&multipart, body.data + at, body.length - at < piece ? body.length - at : piece, NULL);
    if (code == ERROR_NONE)
        code = multipart_finish(&multipart, NULL);
    multipart_release(&multipart);
    return code;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct text body = text_of((const char *)data, size);
    struct buffer whole = {0}, pieces = {0};
    enum error_code code = read_all(body, size == 0 ? 1 : size, &whole);
    ensure(read_all(body, 3, &pieces) == code);
    ensure(code != ERROR_NONE || text_equal(buffer_text(&whole), buffer_text(&pieces)));
    buffer_release(&whole);
    buffer_release(&pieces);
    return 0;
}

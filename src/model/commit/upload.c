/* SPDX-License-Identifier: Apache-2.0 */
/* Content on its way in: the store's struct content, and which digests the sender wants checked. */
#include "base/ensure.h"
#include "format/hex.h"
#include "model/commit/transaction_private.h"

enum error_code
upload_begin(struct model *model, unsigned also, struct upload **ret_upload, struct error *error)
{
    struct upload *upload = calloc(1, sizeof *upload);
    if (upload == NULL)
        return error_set(error, ERROR_NO_MEMORY, "out of memory");
    upload->magic = UPLOAD_MAGIC;
    upload->also = also;
    enum error_code code = content_begin(model->store, also, &upload->content, error);
    if (code != ERROR_NONE) {
        free(upload);
        return code;
    }
    *ret_upload = upload;
    return ERROR_NONE;
}

/* The store's struct by the name that this module's users see. */
static struct content_batch *
content_batch(struct upload_batch *batch)
{
    return (struct content_batch *)batch;
}

enum error_code
upload_batch_new(struct model *model, struct upload_batch **ret_batch, struct error *error)
{
    struct content_batch *batch;
    enum error_code code = content_batch_new(model->store, &batch, error);
    if (code == ERROR_NONE)
        *ret_batch = (struct upload_batch *)batch;
    return code;
}

void
upload_batch_free(struct upload_batch *batch)
{
    content_batch_free(content_batch(batch));
}

void
upload_share(struct upload *upload, struct upload_batch *batch)
{
    if (batch != NULL)
        content_share(upload->content, content_batch(batch));
}

enum error_code
upload_write(struct upload *upload, const void *data, size_t length, struct error *error)
{
    ensure(upload->magic == UPLOAD_MAGIC && !upload->finished);
    return content_write(upload->content, data, length, error);
}

enum error_code
upload_finish(struct upload *upload, struct error *error)
{
    ensure(upload->magic == UPLOAD_MAGIC && !upload->finished);
    enum error_code code = content_finish(upload->content, error);
    upload->finished = code == ERROR_NONE;
    return code;
}

uint64_t
upload_size(const struct upload *upload)
{
    return content_summary(upload->content)->size_bytes;
}

bool
upload_is_bulk(const struct upload *upload)
{
    return content_summary(upload->content)->bulk;
}

bool
upload_digest(const struct upload *upload, enum digest_algorithm algorithm, unsigned char *ret_digest)
{
    return upload->finished && content_digest(upload->content, algorithm, ret_digest);
}

enum error_code
upload_check_digest(struct upload *upload, enum digest_algorithm algorithm, const unsigned char *expected,
                    struct error *error)
{
    unsigned char found[DIGEST_SIZE_MAX];
    char found_hex[DIGEST_HEX_MAX + 1], expected_hex[DIGEST_HEX_MAX + 1];
    size_t size = digest_size(algorithm);
    if (!upload_digest(upload, algorithm, found))
        return error_set(error, ERROR_INVALID, "the digest %s was not computed",
                         digest_name(algorithm, DIGEST_NAMES_OCFL));
    if (memcmp(found, expected, size) != 0) {
        hex_write(found, size, found_hex);
        hex_write(expected, size, expected_hex);
        found_hex[2 * size] = expected_hex[2 * size] = '\0';
        return error_set(error, ERROR_DIGEST, "%s of what arrived is %s, not %s as was said",
                         digest_name(algorithm, DIGEST_NAMES_OCFL), found_hex, expected_hex);
    }
    upload->checked |= 1u << algorithm;
    return ERROR_NONE;
}

enum error_code
upload_read(struct upload *upload, uint64_t offset, void *data, size_t length, struct error *error)
{
    ensure(upload->magic == UPLOAD_MAGIC && upload->finished);
    return content_read(upload->content, offset, data, length, error);
}

void
upload_free(struct upload *upload)
{
    if (upload == NULL)
        return;
    ensure(upload->magic == UPLOAD_MAGIC);
    upload->magic = 0;
    content_free(upload->content);
    free(upload);
}

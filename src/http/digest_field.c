/* SPDX-License-Identifier: Apache-2.0 */
/* Digests in headers: see digest_field.h. */
#include "http/digest_field.h"

#include "format/base64.h"
#include "format/hex.h"
#include "http/field.h"

static bool
decode_base64(struct text text, enum digest_algorithm algorithm, unsigned char *ret_value)
{
    unsigned char bytes[BASE64_DECODED_MAX(128)];
    size_t length;
    if (text.length > 128 || !base64_decode(text, bytes, &length) || length != digest_size(algorithm))
        return false;
    memcpy(ret_value, bytes, length);
    return true;
}

/* RFC 3230 as Fedora speaks it: hexadecimal; base64 as the RFC itself wants is taken too. Lengths differ, so
 * no value is both. */
static bool
read_instance_digest(struct text text, enum digest_algorithm algorithm, unsigned char *ret_value)
{
    if (text.length == 2 * digest_size(algorithm))
        return hex_decode(text, ret_value, digest_size(algorithm));
    return decode_base64(text, algorithm, ret_value);
}

/* RFC 9530: a byte sequence `:base64:`, perhaps with parameters. */
static bool
read_structured_digest(struct text text, enum digest_algorithm algorithm, unsigned char *ret_value)
{
    struct text value;
    if (!field_part_next(&text, &value) || value.length < 2 || value.data[0] != ':' ||
        value.data[value.length - 1] != ':')
        return false;
    return decode_base64(text_of(value.data + 1, value.length - 2), algorithm, ret_value);
}

/* Hexadecimal of another length is a digest that does not match, as in Fedora; anything else is none at all. */
static bool
is_hexadecimal(struct text value)
{
    for (size_t i = 0; i < value.length; i++)
        if (hex_digit(value.data[i]) < 0)
            return false;
    return value.length > 0;
}

static enum error_code
read_digests(struct http_request *request, enum http_header header, struct expected_digests *digests,
             struct error *error)
{
    bool structured = header != HTTP_HEADER_DIGEST;
    enum digest_vocabulary vocabulary = structured ? DIGEST_NAMES_RFC9530 : DIGEST_NAMES_RFC3230;
    struct text rest = request->headers[header], element, name, value;
    struct text header_name = http_header_name(header);
    if (rest.data == NULL)
        return ERROR_NONE;
    while (field_list_next(&rest, &element)) {
        if (digests->count == EXPECTED_DIGESTS_MAXIMUM)
            return error_set(error, ERROR_INVALID, "more than %u digests", EXPECTED_DIGESTS_MAXIMUM);
        struct expected_digest *item = &digests->items[digests->count];
        value = TEXT("");
        name = text_trim(text_cut(element, '=', &value));
        value = value.data == NULL ? value : text_trim(value);
        if (!digest_from_name(vocabulary, name, &item->algorithm))
            return error_set(error, ERROR_INVALID,
                             "%.*s: the algorithm %.*s is not known; known are md5, sha, sha-256, sha-512, sha-512/256",
                             TEXT_ARG(header_name), TEXT_ARG(name));
        if (!(structured ? read_structured_digest : read_instance_digest)(value, item->algorithm, item->value))
            return error_set(error, !structured && is_hexadecimal(value) ? ERROR_DIGEST : ERROR_INVALID, "%.*s: the value of %.*s is no digest of %zu bytes",
                             TEXT_ARG(header_name), TEXT_ARG(name), digest_size(item->algorithm));
        item->header = header;
        digests->algorithms |= 1u << item->algorithm;
        digests->count++;
    }
    return ERROR_NONE;
}

enum error_code
digests_expected(struct http_request *request, struct expected_digests *ret_digests, struct error *error)
{
    static const enum http_header headers[] = {HTTP_HEADER_DIGEST, HTTP_HEADER_CONTENT_DIGEST, HTTP_HEADER_REPR_DIGEST};
    struct error own = {0};
    error = error != NULL ? error : &own;
    ret_digests->count = 0;
    ret_digests->algorithms = 0;
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
        if (read_digests(request, headers[i], ret_digests, error) != ERROR_NONE)
            return error->code;
    }
    return ERROR_NONE;
}

/* ---- answering ------------------------------------------------------------------------------------ */

static double
number(struct text text, double otherwise)
{
    char copy[16];
    if (text.length == 0 || text.length >= sizeof copy)
        return otherwise;
    memcpy(copy, text.data, text.length);
    copy[text.length] = '\0';
    char *end;
    double value = strtod(copy, &end);
    return *end == '\0' ? value : otherwise;
}

/* "sha-256;q=0.5" or "sha-256=5": name and weight. */
static struct text
wanted_name(struct text element, enum digest_vocabulary vocabulary, double *ret_weight)
{
    struct text part, name, value;
    *ret_weight = 1;
    if (vocabulary == DIGEST_NAMES_RFC9530) {
        field_pair(element, &name, &value);
        *ret_weight = number(value, 0);
        return name;
    }
    struct text algorithm = TEXT("");
    field_part_next(&element, &algorithm);
    while (field_part_next(&element, &part)) {
        field_pair(part, &name, &value);
        if (text_equal_ignoring_case(name, TEXT("q")))
            *ret_weight = number(value, 0);
    }
    return algorithm;
}

bool
digest_wanted(struct text want, enum digest_vocabulary vocabulary, unsigned available,
              enum digest_algorithm *ret_algorithm)
{
    struct text element;
    double best = 0;
    while (want.data != NULL && field_list_next(&want, &element)) {
        double weight;
        enum digest_algorithm algorithm;
        struct text name = wanted_name(element, vocabulary, &weight);
        if (!digest_from_name(vocabulary, name, &algorithm) || !(available & 1u << algorithm) || weight <= best)
            continue;
        best = weight;
        *ret_algorithm = algorithm;
    }
    return best > 0;
}

static bool
fixity_next(struct text *rest, enum digest_algorithm *ret_algorithm, unsigned char *ret_digest)
{
    while (rest->length > 0) {
        struct text after, hex;
        struct text pair = text_cut(*rest, ' ', &after);
        *rest = after.data == NULL ? TEXT("") : after;
        struct text name = text_cut(pair, ':', &hex);
        if (hex.data == NULL)
            continue;
        if ((digest_from_name(DIGEST_NAMES_OCFL, name, ret_algorithm) ||
             digest_from_name(DIGEST_NAMES_RFC3230, name, ret_algorithm)) &&
            hex_decode(hex, ret_digest, digest_size(*ret_algorithm)))
            return true;
    }
    return false;
}

bool
digest_in_fixity(struct text fixity, enum digest_algorithm algorithm, unsigned char *ret_digest)
{
    enum digest_algorithm found;
    unsigned char value[DIGEST_SIZE_MAX];
    while (fixity_next(&fixity, &found, value)) {
        if (found != algorithm)
            continue;
        memcpy(ret_digest, value, digest_size(found));
        return true;
    }
    return false;
}

unsigned
digests_in_fixity(struct text fixity)
{
    enum digest_algorithm found;
    unsigned char value[DIGEST_SIZE_MAX];
    unsigned bits = 0;
    while (fixity_next(&fixity, &found, value))
        bits |= 1u << found;
    return bits;
}

void
digest_answer(struct http_request *request, enum http_header header, enum digest_algorithm algorithm,
              const unsigned char *value)
{
    struct buffer buffer = {0};
    bool structured = header != HTTP_HEADER_DIGEST;
    buffer_append_string(&buffer, digest_name(algorithm, structured ? DIGEST_NAMES_RFC9530 : DIGEST_NAMES_RFC3230));
    buffer_append_char(&buffer, '=');
    if (structured) {
        buffer_append_char(&buffer, ':');
        base64_append(&buffer, value, digest_size(algorithm));
        buffer_append_char(&buffer, ':');
    } else {
        buffer_append_hex(&buffer, value, digest_size(algorithm));
    }
    http_set_header(request, http_header_name(header).data, buffer_text(&buffer));
    buffer_release(&buffer);
}

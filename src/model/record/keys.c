/* SPDX-License-Identifier: Apache-2.0 */
/* Catalog keys: see keys.h. */
#include "model/record/keys.h"

#include "base/ensure.h"
#include "format/digest.h"

#define STATEMENT_VALUE_START_BYTES 64u
#define STATEMENT_HASH_BYTES 16u
#define INVERSE_HASH_BYTES 8u
#define INVERSE_TAIL_BYTES (8u + 4u + INVERSE_HASH_BYTES)

struct text
key_text(const struct key *key)
{
    return text_of((const char *)key->bytes, key->length);
}

void
key_bytes(struct key *key, const void *bytes, size_t length)
{
    ensure(length <= KEY_BYTES_MAXIMUM - key->length);
    if (length > 0)
        memcpy(key->bytes + key->length, bytes, length);
    key->length += length;
}

void
key_byte(struct key *key, unsigned char byte)
{
    key_bytes(key, &byte, 1);
}

void
key_begin(struct key *key, enum family family)
{
    key->length = 0;
    key_byte(key, (unsigned char)family);
}

void
key_number(struct key *key, uint64_t number)
{
    uint64_t big = __builtin_bswap64(number);
    key_bytes(key, &big, sizeof big);
}

void
key_number32(struct key *key, uint32_t number)
{
    uint32_t big = __builtin_bswap32(number);
    key_bytes(key, &big, sizeof big);
}

bool
key_after(const struct key *prefix, struct key *ret_after)
{
    *ret_after = *prefix;
    while (ret_after->length > 0 && ret_after->bytes[ret_after->length - 1] == 0xFF)
        ret_after->length--;
    if (ret_after->length == 0)
        return false;
    ret_after->bytes[ret_after->length - 1]++;
    return true;
}

uint64_t
key_leading_id(struct text key)
{
    static const char families[] = {FAMILY_STAMP,     FAMILY_CHILD, FAMILY_DUE_OF,    FAMILY_GONE,      FAMILY_HISTORY,   FAMILY_COUNTS,
                                    FAMILY_TOMBSTONE, FAMILY_NODE,  FAMILY_STATEMENT, FAMILY_VERSION, FAMILY_IDENTIFIER};
    return key.length > 8 && memchr(families, key.data[0], sizeof families) != NULL ? key_read_number(key, 1) : 0;
}

uint64_t
key_read_number(struct text key, size_t offset)
{
    uint64_t big;
    ensure(offset + sizeof big <= key.length);
    memcpy(&big, key.data + offset, sizeof big);
    return __builtin_bswap64(big);
}

uint32_t
key_read_number32(struct text key, size_t offset)
{
    uint32_t big;
    ensure(offset + sizeof big <= key.length);
    memcpy(&big, key.data + offset, sizeof big);
    return __builtin_bswap32(big);
}

void
key_of(struct key *key, enum family family, uint64_t id)
{
    key_begin(key, family);
    key_number(key, id);
}

void
key_node(struct key *key, uint64_t id)
{
    key_of(key, FAMILY_NODE, id);
}

void
key_counts(struct key *key, uint64_t id)
{
    key_of(key, FAMILY_COUNTS, id);
}

void
key_child(struct key *key, uint64_t parent, struct text name)
{
    key_of(key, FAMILY_CHILD, parent);
    key_append(key, name);
}

void
key_gone(struct key *key, uint64_t parent, struct text name, uint64_t id)
{
    key_of(key, FAMILY_GONE, parent);
    key_append(key, name);
    key_byte(key, 0);
    key_number(key, id);
}

void
key_tombstone(struct key *key, uint64_t parent, struct text name)
{
    key_of(key, FAMILY_TOMBSTONE, parent);
    key_append(key, name);
}

void
key_version(struct key *key, uint64_t id, uint64_t number)
{
    key_of(key, FAMILY_VERSION, id);
    key_number32(key, (uint32_t)number);
}

void
key_history(struct key *key, uint64_t id, uint64_t sequence, uint32_t index)
{
    key_of(key, FAMILY_HISTORY, id);
    key_number(key, sequence);
    key_number32(key, index);
}

void
key_change(struct key *key, uint64_t sequence, uint32_t index)
{
    key_of(key, FAMILY_CHANGE, sequence);
    key_number32(key, index);
}

void
key_due(struct key *key, uint64_t due_us, uint64_t id, struct text kind)
{
    key_of(key, FAMILY_DUE, due_us);
    key_number(key, id);
    key_append(key, kind);
}

void
key_digest(struct key *key, struct text digest, uint64_t id)
{
    ensure(digest.length >= 16);
    key_begin(key, FAMILY_DIGEST);
    key_bytes(key, digest.data, 16);
    key_number(key, id);
}

void
key_rule_hash(struct key *key, struct text entries)
{
    unsigned char hash[32];
    digest_compute(DIGEST_SHA256, entries.data == NULL ? "" : entries.data, entries.length, hash);
    key_begin(key, FAMILY_RULE_HASH);
    key_bytes(key, hash, 16);
}

void
key_init(struct key *key)
{
    key_begin(key, FAMILY_STATE);
    key_byte(key, 3);
    key_append(key, TEXT("init"));
}

void
key_external(struct key *key, struct text scheme, struct text value)
{
    key_begin(key, FAMILY_EXTERNAL);
    key_append(key, scheme);
    key_byte(key, 0);
    key_append(key, value);
}

void
key_identifier_prefix(struct key *key, uint64_t id, struct text scheme)
{
    key_begin(key, FAMILY_IDENTIFIER);
    key_number(key, id);
    key_append(key, scheme);
    key_byte(key, 0);
}

void
key_stamp(struct key *key, uint64_t id)
{
    key_begin(key, FAMILY_STAMP);
    key_number(key, id);
}

void
key_harvest(struct key *key, uint64_t set, int64_t time_us, uint64_t id)
{
    key_begin(key, FAMILY_HARVEST);
    key_number(key, set);
    key_number(key, (uint64_t)time_us);
    key_number(key, id);
}

/* SHA-256 of value, NUL, qualifier: tells statements apart that begin alike. */
static void
statement_hash(const struct statement *statement, unsigned char hash[32])
{
    struct buffer whole = {0};
    buffer_append_text(&whole, statement->value);
    buffer_append_char(&whole, '\0');
    buffer_append_text(&whole, statement->qualifier);
    ensure(whole.status == ERROR_NONE);
    digest_compute(DIGEST_SHA256, whole.data, whole.length, hash);
    buffer_release(&whole);
}

void
key_statement_prefix(struct key *key, uint64_t id, struct text attribute)
{
    key_of(key, FAMILY_STATEMENT, id);
    if (attribute.length > 0) {
        key_append(key, attribute);
        key_byte(key, 0);
    }
}

void
key_statement(struct key *key, uint64_t id, const struct statement *statement)
{
    unsigned char hash[32];
    size_t start = statement->value.length;
    if (start > STATEMENT_VALUE_START_BYTES)
        start = STATEMENT_VALUE_START_BYTES;
    statement_hash(statement, hash);
    key_statement_prefix(key, id, statement->attribute);
    key_number32(key, statement->place);
    key_bytes(key, statement->value.data, start);
    key_byte(key, 0);
    key_bytes(key, hash, STATEMENT_HASH_BYTES);
}

void
key_inverse_prefix(struct key *key, struct text attribute, enum inverse_class class)
{
    key_begin(key, FAMILY_INVERSE);
    key_append(key, attribute);
    key_byte(key, 0);
    key_byte(key, (unsigned char)class);
}

void
key_ordered_double(struct key *key, double number)
{
    uint64_t bits;
    if (number == 0)
        number = 0; /* minus zero is zero */
    memcpy(&bits, &number, sizeof bits);
    bits = bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
    key_number(key, bits);
}

bool
value_is_decimal(struct text value, double *ret_number)
{
    char copy[48];
    size_t i = 0, digits = 0;
    bool point = false;
    if (value.length == 0 || value.length > 40)
        return false;
    if (value.data[0] == '-')
        i++;
    for (; i < value.length; i++) {
        if (value.data[i] >= '0' && value.data[i] <= '9') {
            digits++;
        } else if (value.data[i] == '.' && !point && digits > 0 && i + 1 < value.length) {
            point = true;
        } else {
            return false;
        }
    }
    if (digits == 0)
        return false;
    memcpy(copy, value.data, value.length);
    copy[value.length] = '\0';
    *ret_number = strtod(copy, NULL);
    return true;
}

void
key_inverse(struct key *key, uint64_t id, const struct statement *statement, enum inverse_class class)
{
    unsigned char hash[32];
    double number = 0;
    statement_hash(statement, hash);
    key_inverse_prefix(key, statement->attribute, class);
    if (class == INVERSE_NUMBER) {
        ensure(value_is_decimal(statement->value, &number));
        key_ordered_double(key, number);
    } else {
        size_t start = statement->value.length;
        if (start > INVERSE_VALUE_BYTES)
            start = INVERSE_VALUE_BYTES;
        key_bytes(key, statement->value.data, start);
        key_byte(key, 0);
    }
    key_number(key, id);
    key_number32(key, statement->place);
    key_bytes(key, hash, INVERSE_HASH_BYTES);
}

uint64_t
key_inverse_id(struct text key)
{
    ensure(key.length > INVERSE_TAIL_BYTES);
    return key_read_number(key, key.length - INVERSE_TAIL_BYTES);
}

uint32_t
key_inverse_place(struct text key)
{
    ensure(key.length > INVERSE_TAIL_BYTES);
    return key_read_number32(key, key.length - INVERSE_TAIL_BYTES + 8);
}

/* The least length of a key of a family; 0: there is no such family. */
static size_t
least_length(enum family family)
{
    switch (family) {
    case FAMILY_VOLUME:
    case FAMILY_CHILD:
    case FAMILY_COUNTS:
    case FAMILY_DUE_OF:
    case FAMILY_NODE:
    case FAMILY_GROUP:
    case FAMILY_RULE:
    case FAMILY_TOKEN:
    case FAMILY_USER:
    case FAMILY_TOMBSTONE:
    case FAMILY_STAMP:
        return 1 + 8;
    case FAMILY_VERSION:
    case FAMILY_CHANGE:
    case FAMILY_WORK:
        return 1 + 8 + 4;
    case FAMILY_DUE:
    case FAMILY_MEMBER:
    case FAMILY_GROUP_MEMBER:
        return 1 + 8 + 8;
    case FAMILY_GONE:
        return 1 + 8 + 1 + 8;
    case FAMILY_HISTORY:
        return 1 + 8 + 8 + 4;
    case FAMILY_DIGEST:
        return 1 + 16 + 8;
    case FAMILY_HARVEST:
        return 1 + 8 + 8 + 8;
    case FAMILY_IDENTIFIER:
        return 1 + 8 + 1 + 8 + 4;
    case FAMILY_STATEMENT:
        return 1 + 8 + 1 + 4 + 1 + STATEMENT_HASH_BYTES;
    case FAMILY_INVERSE:
        return 1 + 2 + 1 + INVERSE_TAIL_BYTES;
    case FAMILY_RULE_HASH:
    case FAMILY_TOKEN_HASH:
    case FAMILY_USER_NAME:
    case FAMILY_GROUP_NAME:
    case FAMILY_COUNTER:
    case FAMILY_EXTERNAL:
    case FAMILY_STATE:
        return 1 + 1;
    }
    return 0;
}

bool
key_is_whole(struct text key)
{
    size_t least = key.length == 0 ? 0 : least_length((enum family)(unsigned char)key.data[0]);
    return least != 0 && key.length >= least;
}

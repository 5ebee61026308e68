/* SPDX-License-Identifier: Apache-2.0 */
/* tar headers: see tar.h. What is written here is checked by the same fields on the way back. */
#include "format/tar.h"

#include "base/ensure.h"

#include <stddef.h>

struct ustar {
    char name[100];
    char mode[8];
    char uid[8];
    char gid[8];
    char size[12];
    char mtime[12];
    char checksum[8];
    char type;
    char linkname[100];
    char magic[6]; /* "ustar\0" */
    char version[2];
    char uname[32];
    char gname[32];
    char devmajor[8];
    char devminor[8];
    char prefix[155];
    char pad[12];
};
_Static_assert(sizeof(struct ustar) == TAR_BLOCK_SIZE, "a ustar header is one block");
_Static_assert(offsetof(struct ustar, checksum) == 148, "checksum field");
_Static_assert(offsetof(struct ustar, magic) == 257, "magic field");
_Static_assert(offsetof(struct ustar, prefix) == 345, "prefix field");

#define X_HEADER_NAME "PaxHeaders/entry"
#define OCTAL11_MAX TAR_USTAR_SIZE_MAX

/* Digits, then NUL: fields of `size` bytes hold size - 1 digits. */
static void
write_octal(char *field, size_t size, uint64_t value)
{
    for (size_t i = size - 1; i-- > 0; value >>= 3)
        field[i] = (char)('0' + (value & 7));
    ensure(value == 0);
    field[size - 1] = '\0';
}

static unsigned
sum_of(const unsigned char *block)
{
    unsigned sum = 0;
    for (size_t i = 0; i < TAR_BLOCK_SIZE; i++)
        sum += block[i];
    for (size_t i = 0; i < sizeof(((struct ustar *)NULL)->checksum); i++)
        sum += (unsigned)' ' - block[offsetof(struct ustar, checksum) + i];
    return sum;
}

/* Where the path is cut: the length of the prefix, 0 for none; SIZE_MAX when it does not fit. */
static size_t
prefix_length(struct text path)
{
    const size_t name_max = sizeof(((struct ustar *)NULL)->name);
    const size_t prefix_max = sizeof(((struct ustar *)NULL)->prefix);
    if (path.length <= name_max)
        return 0;
    if (path.length > TAR_PATH_MAX)
        return SIZE_MAX;
    /* The first slash that leaves no more than a name's worth. */
    for (size_t at = path.length - name_max - 1; at <= prefix_max && at < path.length - 1; at++) {
        if (path.data[at] == '/' && at > 0)
            return at;
    }
    return SIZE_MAX;
}

bool
tar_path_fits(struct text path)
{
    return path.length > 0 && path.data[0] != '/' && path.data[path.length - 1] != '/' &&
           memchr(path.data, '\0', path.length) == NULL && prefix_length(path) != SIZE_MAX;
}

static void
write_block(struct ustar *block, const struct tar_entry *entry, char type)
{
    size_t prefix = prefix_length(entry->path);
    size_t name_at = prefix == 0 ? 0 : prefix + 1;
    memset(block, 0, sizeof *block);
    memcpy(block->name, entry->path.data + name_at, entry->path.length - name_at);
    memcpy(block->prefix, entry->path.data, prefix);
    write_octal(block->mode, sizeof block->mode, 0644);
    write_octal(block->uid, sizeof block->uid, 0);
    write_octal(block->gid, sizeof block->gid, 0);
    write_octal(block->size, sizeof block->size,
                entry->size > OCTAL11_MAX ? OCTAL11_MAX : entry->size);
    write_octal(block->mtime, sizeof block->mtime, entry->mtime_s);
    block->type = type;
    memcpy(block->magic, "ustar", 6);
    memcpy(block->version, "00", 2);
    write_octal(block->devmajor, sizeof block->devmajor, 0);
    write_octal(block->devminor, sizeof block->devminor, 0);
    write_octal(block->checksum, 7, sum_of((const unsigned char *)block));
    block->checksum[7] = ' ';
}

static enum error_code
check_entry(const struct tar_entry *entry, struct error *error)
{
    if (!tar_path_fits(entry->path))
        return error_set(error, ERROR_INVALID, "a tar header cannot hold the path \"%.*s\"",
                         TEXT_ARG(entry->path));
    if (entry->mtime_s > OCTAL11_MAX)
        return error_set(error, ERROR_INVALID, "a tar header cannot hold the time %llu",
                         (unsigned long long)entry->mtime_s);
    return ERROR_NONE;
}

static size_t
decimal_digits(uint64_t value)
{
    size_t digits = 1;
    for (; value >= 10; value /= 10)
        digits++;
    return digits;
}

/* "LENGTH key=" and the closing newline around `value_length` bytes; LENGTH counts itself. Returns
 * the record's length; `*ret_value` is where the value goes. */
static size_t
write_record(char *to, const char *key, size_t value_length, char **ret_value)
{
    size_t bare = 1 + strlen(key) + 1 + value_length + 1;
    size_t length = bare + decimal_digits(bare);
    if (decimal_digits(length) != decimal_digits(bare))
        length = bare + decimal_digits(length);
    size_t digits = decimal_digits(length);
    decimal_write_wide(to, digits, length);
    to[digits] = ' ';
    memcpy(to + digits + 1, key, strlen(key));
    to[digits + 1 + strlen(key)] = '=';
    *ret_value = to + digits + 1 + strlen(key) + 1;
    to[length - 1] = '\n';
    return length;
}

static size_t
write_size_record(char *to, uint64_t size)
{
    char *value;
    size_t digits = decimal_digits(size);
    size_t length = write_record(to, "size", digits, &value);
    decimal_write_wide(value, digits, size);
    return length;
}

/* A comment of exactly `length` bytes in all. */
static void
write_padding_record(char *to, size_t length)
{
    size_t digits = decimal_digits(length);
    size_t value_at = digits + 1 + strlen("comment=");
    ensure(length > value_at);
    decimal_write_wide(to, digits, length);
    memcpy(to + digits, " comment=", 1 + strlen("comment="));
    memset(to + value_at, ' ', length - value_at - 1);
    to[length - 1] = '\n';
}

static void
write_x_header(struct ustar *block, uint64_t records_size, uint64_t mtime_s)
{
    struct tar_entry entry = {TEXT(X_HEADER_NAME), records_size, mtime_s};
    write_block(block, &entry, 'x');
}

size_t
tar_header_size(uint64_t content_size)
{
    return content_size > OCTAL11_MAX ? TAR_LARGE_HEADER_SIZE : TAR_BLOCK_SIZE;
}

enum error_code
tar_write_header(const struct tar_entry *entry, void *out, struct error *error)
{
    struct ustar *blocks = out;
    enum error_code code = check_entry(entry, error);
    if (code != ERROR_NONE)
        return code;
    if (entry->size <= OCTAL11_MAX) {
        write_block(blocks, entry, '0');
        return ERROR_NONE;
    }
    memset(&blocks[1], 0, sizeof blocks[1]);
    size_t length = write_size_record((char *)&blocks[1], entry->size);
    write_x_header(&blocks[0], length, entry->mtime_s);
    write_block(&blocks[2], entry, '0');
    return ERROR_NONE;
}

enum error_code
tar_write_preamble(const struct tar_entry *entry, void *out, struct error *error)
{
    char *records = (char *)out + TAR_BLOCK_SIZE, *value;
    enum error_code code = check_entry(entry, error);
    if (code != ERROR_NONE)
        return code;
    size_t used = write_record(records, "path", entry->path.length, &value);
    memcpy(value, entry->path.data, entry->path.length);
    used += write_size_record(records + used, entry->size);
    write_padding_record(records + used, TAR_PREAMBLE_RECORDS_SIZE - used);
    write_x_header(out, TAR_PREAMBLE_RECORDS_SIZE, entry->mtime_s);
    write_block((struct ustar *)(void *)(records + TAR_PREAMBLE_RECORDS_SIZE), entry, '0');
    return ERROR_NONE;
}

bool
tar_block_is_zero(const void *block)
{
    const char *bytes = block;
    return bytes[0] == 0 && memcmp(bytes, bytes + 1, TAR_BLOCK_SIZE - 1) == 0;
}

bool
tar_block_begins_preamble(const void *block)
{
    size_t written = strnlen(block, sizeof X_HEADER_NAME - 1);
    return written > 0 && memcmp(block, X_HEADER_NAME, written) == 0;
}

/* Octal digits, then NULs or blanks, as every writer of ustar ends them. */
static bool
read_octal(const char *field, size_t size, uint64_t *ret_value)
{
    size_t at = 0;
    uint64_t value = 0;
    while (at < size && field[at] >= '0' && field[at] <= '7')
        value = value << 3 | (uint64_t)(field[at++] - '0');
    if (at == 0)
        return false;
    for (; at < size; at++) {
        if (field[at] != '\0' && field[at] != ' ')
            return false;
    }
    *ret_value = value;
    return true;
}

static size_t
join_path(const struct ustar *block, char *out)
{
    size_t prefix = strnlen(block->prefix, sizeof block->prefix);
    size_t name = strnlen(block->name, sizeof block->name);
    size_t used = prefix;
    memcpy(out, block->prefix, prefix);
    if (prefix > 0)
        out[used++] = '/';
    memcpy(out + used, block->name, name);
    return used + name;
}

enum error_code
tar_parse_block(const void *bytes, char *path_out, struct tar_block *ret_block, struct error *error)
{
    const struct ustar *block = bytes;
    uint64_t checksum;
    struct tar_block found = {.type = block->type == '\0' ? '0' : block->type};
    if (memcmp(block->magic, "ustar\00000", 8) != 0)
        return error_set(error, ERROR_CORRUPT, "not a ustar header");
    if (!read_octal(block->checksum, sizeof block->checksum, &checksum) ||
        checksum != sum_of(bytes))
        return error_set(error, ERROR_CORRUPT, "a tar header whose checksum is wrong");
    if (!read_octal(block->size, sizeof block->size, &found.size) ||
        !read_octal(block->mtime, sizeof block->mtime, &found.mtime_s))
        return error_set(error, ERROR_CORRUPT, "a tar header with a number that is not octal");
    found.path = text_of(path_out, join_path(block, path_out));
    if (found.path.length == 0)
        return error_set(error, ERROR_CORRUPT, "a tar header without a path");
    *ret_block = found;
    return ERROR_NONE;
}

/* Cuts the first record off `*rest`. */
static bool
next_record(struct text *rest, struct text *ret_key, struct text *ret_value)
{
    struct text after, key_and_value;
    uint64_t length;
    struct text digits = text_cut(*rest, ' ', &after);
    if (after.data == NULL || digits.length > 10 || !text_to_u64(digits, &length))
        return false;
    if (length > rest->length || length < digits.length + 3 || rest->data[length - 1] != '\n')
        return false;
    key_and_value = text_of(after.data, (size_t)length - digits.length - 2);
    *ret_key = text_cut(key_and_value, '=', ret_value);
    *rest = text_of(rest->data + length, rest->length - (size_t)length);
    return ret_value->data != NULL && ret_key->length > 0;
}

enum error_code
tar_parse_pax(struct text records, struct tar_pax *ret_pax, struct error *error)
{
    struct tar_pax pax = {0};
    while (records.length > 0) {
        struct text key, value;
        if (!next_record(&records, &key, &value))
            return error_set(error, ERROR_CORRUPT, "a pax record that is not well formed");
        if (text_equal(key, TEXT("path"))) {
            if (value.length == 0 || memchr(value.data, '\0', value.length) != NULL)
                return error_set(error, ERROR_CORRUPT, "a pax path that is empty or holds NUL");
            pax.has_path = true;
            pax.path = value;
        } else if (text_equal(key, TEXT("size"))) {
            if (!text_to_u64(value, &pax.size))
                return error_set(error, ERROR_CORRUPT, "a pax size that is no number");
            pax.has_size = true;
        }
    }
    *ret_pax = pax;
    return ERROR_NONE;
}

/* What the ustar block after an `x` header must say, given the records. */
static enum error_code
apply_pax(const struct tar_pax *pax, const struct tar_block *block, struct tar_found *found,
          struct error *error)
{
    if (pax->has_path && !text_equal(pax->path, block->path))
        return error_set(error, ERROR_CORRUPT, "a pax path that differs from the header's");
    found->entry = (struct tar_entry){block->path, block->size, block->mtime_s};
    if (!pax->has_size)
        return ERROR_NONE;
    uint64_t in_header = pax->size > OCTAL11_MAX ? OCTAL11_MAX : pax->size;
    if (block->size != in_header || pax->size > INT64_MAX)
        return error_set(error, ERROR_CORRUPT, "a pax size that differs from the header's");
    found->entry.size = pax->size;
    return ERROR_NONE;
}

static enum error_code
parse_extended(struct text data, const struct tar_block *x, char *path_out,
               struct tar_found *found, struct error *error)
{
    struct tar_pax pax;
    struct tar_block block;
    enum error_code code;
    if (x->size > TAR_PREAMBLE_RECORDS_SIZE)
        return error_set(error, ERROR_CORRUPT, "an extended header of %llu bytes",
                         (unsigned long long)x->size);
    size_t ustar_at = TAR_BLOCK_SIZE + (size_t)tar_padded(x->size);
    if (data.length < ustar_at + TAR_BLOCK_SIZE)
        return error_set(error, ERROR_CORRUPT, "an extended header that is cut off");
    code = tar_parse_pax(text_of(data.data + TAR_BLOCK_SIZE, (size_t)x->size), &pax, error);
    if (code == ERROR_NONE)
        code = tar_parse_block(data.data + ustar_at, path_out, &block, error);
    if (code != ERROR_NONE)
        return code;
    if (block.type != '0')
        return error_set(error, ERROR_CORRUPT, "a tar entry of type 0x%02x", (unsigned char)block.type);
    found->header_size = ustar_at + TAR_BLOCK_SIZE;
    return apply_pax(&pax, &block, found, error);
}

enum error_code
tar_parse_entry(struct text data, char *path_out, struct tar_found *ret_found, struct error *error)
{
    struct tar_found found = {.header_size = TAR_BLOCK_SIZE};
    struct tar_block block;
    if (data.length < TAR_BLOCK_SIZE)
        return error_set(error, ERROR_CORRUPT, "a tar header that is cut off");
    if (tar_block_is_zero(data.data))
        return error_set(error, ERROR_NOT_FOUND, "end of archive");
    enum error_code code = tar_parse_block(data.data, path_out, &block, error);
    if (code != ERROR_NONE)
        return code;
    if (block.type == 'x')
        code = parse_extended(data, &block, path_out, &found, error);
    else if (block.type != '0')
        code = error_set(error, ERROR_CORRUPT, "a tar entry of type 0x%02x",
                         (unsigned char)block.type);
    else
        found.entry = (struct tar_entry){block.path, block.size, block.mtime_s};
    if (code == ERROR_NONE)
        *ret_found = found;
    return code;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes files with tar entries about and over the 8 GiB that a ustar size field cannot hold, for
 * tests/interop/large_entries.py. Nothing but holes is written where there are zeros.
 *
 *     large_entry headers FOLDER NAME  our headers of both shapes, over holes, a small entry after
 * each large_entry store FOLDER SIZE    a store in FOLDER/volumes with one content of SIZE bytes,
 * through upload and commit: "begin", zeros, "end"; then a small deposit
 */
#include "base/buffer.h"
#include "base/ensure.h"
#include "format/tar.h"
#include "volume/store.h"

#include <stdio.h>
#include <string.h>

enum { PIECE_BYTES = 1 << 20 };

static void
must(enum error_code code, const struct error *error)
{
    if (code == ERROR_NONE)
        return;
    fprintf(stderr, "large_entry: %s: %s\n", error_word(code), error->message);
    exit(1);
}

/* ---- a folder whose zeros become holes ---- */

static const struct device_operations *plain;

static bool
is_zero(const struct iovec *part)
{
    const char *bytes = part->iov_base;
    return part->iov_len > 0 && bytes[0] == 0 && memcmp(bytes, bytes + 1, part->iov_len - 1) == 0;
}

static enum error_code
write_or_extend(struct device_file *file, uint64_t offset, const struct iovec *parts, size_t count,
                struct error *error)
{
    uint64_t size = 0;
    enum error_code code = plain->size(file, &size, error);
    if (code != ERROR_NONE)
        return code;
    if (count == 1 && offset >= size && is_zero(&parts[0]))
        return plain->truncate(file, offset + parts[0].iov_len, error);
    return plain->write(file, offset, parts, count, error);
}

static struct device *
folder_with_holes(const char *path)
{
    static struct device_operations operations;
    struct error error = {0};
    struct device *device = NULL;
    must(device_files_new(path, &device, &error), &error);
    plain = device->operations;
    operations = *plain;
    operations.write = write_or_extend;
    device->operations = &operations;
    return device;
}

/* ---- headers ---- */

struct output {
    struct device_file *file;
    uint64_t at;
};

static void
put(struct output *output, const void *bytes, size_t length)
{
    struct error error = {0};
    struct iovec part = {(void *)(uintptr_t)bytes, length};
    must(device_write(output->file, output->at, &part, 1, &error), &error);
    output->at += length;
}

static void
put_entry(struct output *output, const char *shape, uint64_t size)
{
    char path[64], header[TAR_HEADER_MAX];
    struct error error = {0};
    snprintf(path, sizeof path, "%s-%llu", shape, (unsigned long long)size);
    struct tar_entry entry = {text_from(path), size, 1700000000};
    bool preamble = strcmp(shape, "preamble") == 0;
    must((preamble ? tar_write_preamble : tar_write_header)(&entry, header, &error), &error);
    put(output, header, preamble ? TAR_PREAMBLE_SIZE : tar_header_size(size));
    output->at += tar_padded(size);
}

static void
make_headers(const char *folder, const char *name)
{
    static const uint64_t sizes[] = {TAR_USTAR_SIZE_MAX, TAR_USTAR_SIZE_MAX + 1,
                                     TAR_USTAR_SIZE_MAX + 2, UINT64_C(100) << 30};
    static const char end[2 * TAR_BLOCK_SIZE];
    struct error error = {0};
    struct device *device = folder_with_holes(folder);
    struct output output = {0};
    must(device_open_file(device, name, DEVICE_CREATE, &output.file, &error), &error);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        put_entry(&output, "preamble", sizes[i]);
        put_entry(&output, "small", i + 1);
        put_entry(&output, "header", sizes[i]);
        put_entry(&output, "small", 1000 + i);
    }
    put(&output, end, sizeof end);
    device_close_file(output.file);
    device_free(device);
}

/* ---- the store ---- */

static void
send(struct content *content, const char *bytes, uint64_t length)
{
    struct error error = {0};
    for (uint64_t at = 0; at < length; at += PIECE_BYTES) {
        uint64_t left = length - at;
        must(content_write(content, bytes, left < PIECE_BYTES ? (size_t)left : PIECE_BYTES, &error),
             &error);
    }
}

static void
deposit(struct store *store, const char *path, uint64_t size)
{
    static const char zeros[PIECE_BYTES];
    struct error error = {0};
    struct content *content;
    struct group *group;
    struct group_info info;
    struct place place;
    must(content_begin(store, 0, &content, &error), &error);
    send(content, "begin", 5);
    send(content, zeros, size - 8);
    send(content, "end", 3);
    must(content_finish(content, &error), &error);
    must(group_begin(store, false, &group, &info, &error), &error);
    must(group_add_content(group, text_from(path), content, &place, NULL, &error), &error);
    must(group_add_line(group, TEXT("{\"op\":\"put\"}"), NULL, &error), &error);
    must(group_commit(group, NULL, NULL, &error), &error);
    content_free(content);
}

static void
make_store(const char *folder, uint64_t size)
{
    char path[512];
    struct error error = {0};
    struct store *store;
    struct store_recovery recovery;
    struct store_identity identity = {
        .uuid = "0123456789abcde", .node = 1, .digest = DIGEST_SHA256};
    struct store_options options = {.volume_size_bytes = UINT64_C(1) << 40};
    snprintf(path, sizeof path, "%s/volumes", folder);
    options.volumes = folder_with_holes(path);
    must(device_files_new(folder, &options.lost_and_found, &error), &error);
    must(store_create(&options, &identity, &error), &error);
    must(store_open(&options, NULL, NULL, NULL, &store, &recovery, &error), &error);
    must(store_set_bulk_lengths(store, NULL, 0, &error), &error);
    deposit(store, "ocfl/large", size);
    deposit(store, "ocfl/after", 3 << 20);
    must(store_seal(store, &error), &error);
    store_close(store);
    device_free(options.volumes);
    device_free(options.lost_and_found);
}

int
main(int argc, char **argv)
{
    uint64_t size = 0;
    if (argc == 4 && strcmp(argv[1], "headers") == 0)
        make_headers(argv[2], argv[3]);
    else if (argc == 4 && strcmp(argv[1], "store") == 0 && text_to_u64(text_from(argv[3]), &size) &&
             size >= 8)
        make_store(argv[2], size);
    else
        return 2;
    return 0;
}

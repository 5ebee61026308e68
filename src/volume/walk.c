/* SPDX-License-Identifier: Apache-2.0 */
/* Going through a volume from header to header, with a window that is read ahead. */
#include "volume/store_private.h"

enum error_code
walk_init(struct walk *walk, struct device_file *file, uint64_t at, struct error *error)
{
    *walk = (struct walk){.file = file, .at = at};
    enum error_code code = store__device_size(file, &walk->end, error);
    if (code != ERROR_NONE)
        return code;
    walk->window = malloc(SCAN_WINDOW_BYTES);
    return walk->window == NULL ? error_set(error, ERROR_NO_MEMORY, "no memory to read a volume")
                                : ERROR_NONE;
}

void
walk_release(struct walk *walk)
{
    free(walk->window);
    walk->window = NULL;
}

/* Up to TAR_HEADER_MAX bytes at `walk->at`, fewer only at the end of the file. */
static enum error_code
fill(struct walk *walk, struct text *ret_data, struct error *error)
{
    uint64_t left = walk->end - walk->at;
    size_t wanted = left < TAR_HEADER_MAX ? (size_t)left : TAR_HEADER_MAX;
    if (walk->at < walk->window_at || walk->at + wanted > walk->window_at + walk->window_length) {
        enum error_code code = device_read(walk->file, walk->at, walk->window, SCAN_WINDOW_BYTES,
                                           &walk->window_length, error);
        walk->window_at = walk->at;
        if (code != ERROR_NONE) {
            walk->window_length = 0;
            return code;
        }
        if (walk->window_length < wanted)
            wanted = walk->window_length; /* the file got shorter under us */
    }
    *ret_data = text_of(walk->window + (walk->at - walk->window_at), wanted);
    return ERROR_NONE;
}

enum error_code
walk_look(struct walk *walk, struct walk_entry *ret_entry, struct error *error)
{
    struct text data;
    struct tar_found found;
    if (walk->at >= walk->end)
        return error_set(error, ERROR_NOT_FOUND, "end of the volume");
    enum error_code code = fill(walk, &data, error);
    if (code == ERROR_NONE)
        code = tar_parse_entry(data, walk->path, &found, error);
    if (code != ERROR_NONE)
        return code;
    struct walk_entry entry = {
        .path = found.entry.path,
        .header = walk->at,
        .data = walk->at + found.header_size,
        .size = found.entry.size,
        .mtime_s = found.entry.mtime_s,
    };
    if (entry.size > walk->end || tar_padded(entry.size) > walk->end - walk->at ||
        entry.data + tar_padded(entry.size) > walk->end)
        return error_set(error, ERROR_CORRUPT, "the entry at %llu goes beyond the end",
                         (unsigned long long)walk->at);
    entry.next = entry.data + tar_padded(entry.size);
    *ret_entry = entry;
    return ERROR_NONE;
}

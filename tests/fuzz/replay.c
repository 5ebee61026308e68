/* SPDX-License-Identifier: Apache-2.0 */
/* Feeds every file of the folders given to a fuzz target, and every prefix and single-bit flip of it. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* An exact copy on the heap, so that the sanitizer sees a step beyond the end. */
static void
feed(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size == 0 ? 1 : size);
    if (copy == NULL)
        exit(2);
    memcpy(copy, data, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

static void
feed_neighbours(uint8_t *data, size_t size)
{
    feed(data, size);
    for (size_t length = 0; length < size && length < 4096; length++)
        feed(data, length);
    for (size_t bit = 0; bit < size * 8 && bit < 16384; bit++) {
        data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        feed(data, size);
        data[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
}

static int
feed_folder(const char *path)
{
    static uint8_t data[1 << 16];
    DIR *folder = opendir(path);
    int count = 0;
    if (folder == NULL)
        return 0;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char name[4096];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        FILE *file = fopen(name, "rbe");
        if (file == NULL)
            continue;
        feed_neighbours(data, fread(data, 1, sizeof data, file));
        fclose(file);
        count++;
    }
    closedir(folder);
    return count;
}

int
main(int argc, char **argv)
{
    int count = 0;
    for (int i = 1; i < argc; i++)
        count += feed_folder(argv[i]);
    printf("%d files\n", count);
    return count == 0; /* a corpus that is not there must not pass */
}

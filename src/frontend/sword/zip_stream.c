/* SPDX-License-Identifier: Apache-2.0 */
/* SimpleZip made on demand: the files of an item. Whoever may not read one of them gets none. */
#include "frontend/sword/sword_private.h"
#include "http/zip_answer.h"

struct listing {
    struct zip_answer *zip;
    struct error *error;
    enum error_code code;
};

static bool
add_file(void *context, const struct bitstream *file)
{
    struct listing *listing = context;
    listing->code = view_require(listing->zip->view, &file->resource, RIGHT_READ, listing->error);
    if (listing->code == ERROR_NONE)
        listing->code = zip_answer_add(listing->zip, file->path, &file->resource, listing->error);
    return listing->code == ERROR_NONE;
}

enum error_code
sword_answer_zip(struct http_request *request, struct error *error)
{
    struct sword *sword = sword_of(request);
    struct zip_answer *zip = arena_alloc(request->arena, sizeof *zip);
    struct listing listing = {.zip = zip, .error = error};
    if (zip == NULL)
        return arena_status(request->arena, error);
    zip_answer_init(zip, sword->view, &sword->arena);
    enum error_code code =
        repository_bitstreams(sword->repository, sword->view, &sword->entity, TEXT("ORIGINAL"), add_file, &listing, error);
    if (code == ERROR_NONE)
        code = listing.code;
    if (code == ERROR_NONE)
        code = zip_answer_prepare(zip, NULL, error); /* whole: this thread must not read what a Range leaves out */
    if (code != ERROR_NONE)
        return code;
    http_set_header_static(request, "Packaging", packaging_uri(PACKAGING_SIMPLE_ZIP));
    zip_answer_send(zip, request, sword_join(request, sword->entity.uuid, ".zip"));
    return ERROR_NONE;
}

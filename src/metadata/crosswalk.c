/* SPDX-License-Identifier: Apache-2.0 */
/* Crosswalks: which stylesheet a name means, what it sees, and what is made of its result. See crosswalk.h. */
#include "metadata/crosswalk.h"

#include "base/ensure.h"
#include "metadata/crosswalks_embedded.h"
#include "metadata/dim.h"
#include "metadata/metadata_private.h"
#include "metadata/publish.h"

#include <dirent.h>
#include <errno.h>

#define SUFFIX_IN "-in.xsl"
#define SUFFIX_OUT "-out.xsl"

struct crosswalk {
    char *file; /* "mods-in.xsl" */
    struct xslt_stylesheet *stylesheet;
};

struct crosswalk_set {
    struct crosswalk *items;
    size_t count;
};

/* Formats that another's stylesheet reads as well, unless a site has one of that name. */
static const struct {
    const char *file, *instead;
} aliases[] = {{"oai_dc-in.xsl", "dc-in.xsl"},
               {"qdc-in.xsl", "dc-in.xsl"},
               {"dcterms-in.xsl", "dc-in.xsl"},
               {"atom-in.xsl", "dc-in.xsl"}};

/* ---- the set ---- */

static const struct crosswalk *
find_file(const struct crosswalk_set *set, const char *file)
{
    for (size_t i = 0; i < set->count; i++)
        if (strcmp(set->items[i].file, file) == 0)
            return &set->items[i];
    return NULL;
}

static const struct crosswalk *
find(const struct crosswalk_set *set, const char *name, const char *suffix)
{
    char file[128];
    if (snprintf(file, sizeof file, "%s%s", name, suffix) >= (int)sizeof file)
        return NULL;
    const struct crosswalk *found = find_file(set, file);
    for (size_t i = 0; found == NULL && i < sizeof aliases / sizeof aliases[0]; i++)
        if (strcmp(aliases[i].file, file) == 0)
            found = find_file(set, aliases[i].instead);
    return found;
}

static bool
is_crosswalk(const char *file)
{
    struct text name = text_from(file);
    return file[0] != '.' && (text_ends_with(name, TEXT(SUFFIX_IN)) || text_ends_with(name, TEXT(SUFFIX_OUT)));
}

static bool
embedded(const char *name, struct text *ret_xsl)
{
    for (const struct crosswalk_embedded *each = crosswalks_embedded; each->name != NULL; each++) {
        if (strcmp(each->name, name) == 0) {
            *ret_xsl = text_of(each->data, each->length);
            return true;
        }
    }
    return false;
}

static void
add(struct crosswalk_set *set, const char *file, struct xslt_stylesheet *stylesheet)
{
    struct crosswalk *items = realloc(set->items, (set->count + 1) * sizeof *items);
    ensure(items != NULL);
    items[set->count++] = (struct crosswalk){text_copy(text_from(file)), stylesheet};
    set->items = items;
}

static enum error_code
add_of_folder(struct crosswalk_set *set, const char *folder, struct error *error)
{
    enum error_code code = ERROR_NONE;
    DIR *listing = opendir(folder);
    if (listing == NULL)
        return errno == ENOENT ? ERROR_NONE : error_set_errno(error, errno, "opening %s", folder);
    for (struct dirent *entry = readdir(listing); entry != NULL && code == ERROR_NONE; entry = readdir(listing)) {
        struct xslt_stylesheet *stylesheet;
        struct buffer path = {0};
        if (!is_crosswalk(entry->d_name))
            continue;
        buffer_printf(&path, "%s/%s", folder, entry->d_name);
        code = xslt_stylesheet_load(buffer_string(&path), embedded, &stylesheet, error);
        if (code == ERROR_NONE)
            add(set, entry->d_name, stylesheet);
        buffer_release(&path);
    }
    closedir(listing);
    return code;
}

static enum error_code
add_embedded(struct crosswalk_set *set, struct error *error)
{
    for (const struct crosswalk_embedded *each = crosswalks_embedded; each->name != NULL; each++) {
        struct xslt_stylesheet *stylesheet;
        if (!is_crosswalk(each->name) || find_file(set, each->name) != NULL)
            continue;
        enum error_code code = xslt_stylesheet_new(each->name, text_of(each->data, each->length), embedded, &stylesheet, error);
        if (code != ERROR_NONE)
            return code;
        add(set, each->name, stylesheet);
    }
    return ERROR_NONE;
}

enum error_code
crosswalk_set_new(const char *folder, struct crosswalk_set **ret_set, struct error *error)
{
    struct crosswalk_set *set = calloc(1, sizeof *set);
    ensure(set != NULL);
    enum error_code code = folder == NULL ? ERROR_NONE : add_of_folder(set, folder, error);
    if (code == ERROR_NONE)
        code = add_embedded(set, error);
    if (code != ERROR_NONE) {
        crosswalk_set_free(set);
        return code;
    }
    *ret_set = set;
    return ERROR_NONE;
}

void
crosswalk_set_free(struct crosswalk_set *set)
{
    if (set == NULL)
        return;
    for (size_t i = 0; i < set->count; i++) {
        xslt_stylesheet_free(set->items[i].stylesheet);
        free(set->items[i].file);
    }
    free(set->items);
    free(set);
}

bool
crosswalk_has_in(const struct crosswalk_set *set, const char *name)
{
    return find(set, name, SUFFIX_IN) != NULL;
}

bool
crosswalk_has_out(const struct crosswalk_set *set, const char *name)
{
    return find(set, name, SUFFIX_OUT) != NULL;
}

/* ---- in ---- */

enum error_code
crosswalk_in(const struct crosswalk_set *set, const char *name, const struct xml_node *node, struct fields *fields,
             struct error *error)
{
    AV_CLEANUP(xml_document_clean) struct xml_document *source = NULL;
    AV_CLEANUP(xml_document_clean) struct xml_document *result = NULL;
    const struct crosswalk *crosswalk = find(set, name, SUFFIX_IN);
    if (crosswalk == NULL)
        return error_set(error, ERROR_UNSUPPORTED, "there is no crosswalk from \"%s\"", name);
    enum error_code code = xml_document_of(node, &source, error);
    if (code == ERROR_NONE)
        code = xslt_apply(crosswalk->stylesheet, source, NULL, 0, &result, error);
    return code == ERROR_NONE ? fields_read_dim(xml_root(result), fields, error) : code;
}

/* ---- out: a document with the fields as DIM, those of EPrints once more as EPrints has them, and the files ---- */

static bool
is_eprints_element(const struct field *field)
{
    char first = field->element.data[0];
    bool item_or_none = field->qualifier.length == 0 || text_equal(field->qualifier, TEXT("item"));
    return text_equal(field->schema, TEXT("eprints")) && item_or_none && first != '-' && !(first >= '0' && first <= '9');
}

static int
compare_eprints(const void *a_, const void *b_)
{
    const struct field *a = *(const struct field *const *)a_, *b = *(const struct field *const *)b_;
    int order = text_compare(a->element, b->element);
    if (order == 0)
        order = text_compare(a->qualifier, b->qualifier);
    return order != 0 ? order : (a > b) - (a < b); /* of one array: its order */
}

/* One value, or a list from `first` on; returns how many. */
static size_t
put_eprints_element(struct xml_writer *writer, const struct field *const *first, size_t left, struct arena *arena)
{
    bool list = first[0]->qualifier.length > 0;
    const char *name = arena_string(arena, first[0]->element);
    size_t count = 0;
    xml_begin_element(writer, name == NULL ? "none" : name);
    do {
        if (list)
            xml_begin_element(writer, "item");
        compound__write(first[count]->value, arena, writer);
        if (list)
            xml_end_element(writer);
        count++;
    } while (list && count < left && text_equal(first[count]->element, first[0]->element) && first[count]->qualifier.length > 0);
    xml_end_element(writer);
    return count;
}

static void
put_eprint(struct xml_writer *writer, const struct fields *fields, struct arena *arena)
{
    const struct field **sorted = arena_alloc(arena, (fields->count + 1) * sizeof *sorted);
    size_t count = 0;
    if (sorted == NULL)
        return;
    for (size_t i = 0; i < fields->count; i++)
        if (is_eprints_element(&fields->items[i]))
            sorted[count++] = &fields->items[i];
    qsort(sorted, count, sizeof *sorted, compare_eprints);
    xml_begin_element(writer, "eprint");
    xml_put_attribute(writer, "xmlns", TEXT(EPRINTS_NAMESPACE));
    for (size_t i = 0; i < count;)
        i += put_eprints_element(writer, sorted + i, count - i, arena);
    xml_end_element(writer);
}

static void
put_file(struct xml_writer *writer, const struct crosswalk_file *file)
{
    xml_begin_element(writer, "file");
    xml_put_attribute(writer, "url", file->url);
    xml_put_attribute(writer, "name", file->name);
    xml_put_attribute(writer, "media_type", file->media_type);
    xml_put_attribute(writer, "description", file->description);
    xml_put_attribute(writer, "md5", file->md5);
    xml_put_attribute(writer, "security", file->security);
    xml_put_attribute_u64(writer, "size", file->size_bytes);
    xml_put_attribute_u64(writer, "document", file->document);
    xml_put_attribute_u64(writer, "position", file->position);
    xml_end_element(writer);
}

static void
put_source(struct xml_writer *writer, const struct fields *fields, const struct crosswalk_record *record, struct arena *arena)
{
    xml_begin_element(writer, "dim:dim");
    xml_put_attribute(writer, "xmlns:dim", TEXT(DIM_NAMESPACE));
    xml_put_attribute(writer, "dspaceType", TEXT("ITEM"));
    dim__put_fields(writer, fields);
    put_eprint(writer, fields, arena);
    for (size_t i = 0; i < record->file_count; i++)
        put_file(writer, &record->files[i]);
    xml_end_element(writer);
}

static enum error_code
make_source(const struct crosswalk_record *record, struct arena *arena, struct xml_document **ret_source, struct error *error)
{
    struct fields public;
    const struct fields *fields = record->fields;
    struct buffer buffer = {0};
    struct xml_writer writer = xml_writer(&buffer);
    enum error_code code = ERROR_NONE;
    fields_init(&public, arena);
    if (!record->all) {
        code = fields_publish(record->fields, &public, error);
        fields = &public;
    }
    if (code == ERROR_NONE) {
        put_source(&writer, fields, record, arena);
        code = arena_status(arena, error);
    }
    if (code == ERROR_NONE)
        code = buffer_status(&buffer, error);
    if (code == ERROR_NONE)
        code = xml_document_parse(buffer_text(&buffer), ret_source, error);
    buffer_release(&buffer);
    return code;
}

enum error_code
crosswalk_out(const struct crosswalk_set *set, const char *name, const struct crosswalk_record *record,
              struct buffer *buffer, struct error *error)
{
    AV_CLEANUP(xml_document_clean) struct xml_document *source = NULL;
    const struct crosswalk *crosswalk = find(set, name, SUFFIX_OUT);
    struct arena arena;
    if (crosswalk == NULL)
        return error_set(error, ERROR_UNSUPPORTED, "there is no crosswalk to \"%s\"", name);
    arena_init(&arena, 0);
    enum error_code code = make_source(record, &arena, &source, error);
    arena_release(&arena);
    if (code == ERROR_NONE)
        code = xslt_apply_to_text(crosswalk->stylesheet, source, record->parameters, record->parameter_count, buffer, error);
    if (code == ERROR_NONE && buffer->length > 0 && buffer->data[buffer->length - 1] == '\n')
        buffer_truncate(buffer, buffer->length - 1);
    return code;
}

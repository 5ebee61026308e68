/* SPDX-License-Identifier: Apache-2.0 */
#include "package/saf_item.h"

#include "package/describe.h"
#include "package/member_name.h"
#include "xml/xml_read.h"

static bool
cut_prefix(struct text *text, struct text prefix)
{
    if (!text_starts_with(*text, prefix))
        return false;
    *text = text_trim(text_of(text->data + prefix.length, text->length - prefix.length));
    return true;
}

/* ---- contents ---- */

/* "-r -s STORE -f PATH": a file that lies in an asset store. */
static enum error_code
read_registered(struct text words, struct saf_line *line, struct error *error)
{
    struct text file = TEXT("");
    for (struct text rest = words; rest.data != NULL;) {
        struct text word = text_cut(rest, ' ', &rest);
        if (word.length == 0 || text_equal(word, TEXT("-r")))
            continue;
        if (text_equal(word, TEXT("-s")) && rest.data != NULL) {
            (void)text_cut(text_trim(rest), ' ', &rest);
        } else if (text_equal(word, TEXT("-f")) && rest.data != NULL) {
            file = text_trim(rest); /* a path may have blanks in it */
            break;
        } else {
            return error_set(error, ERROR_INVALID, "\"%.*s\" is not \"-r -s STORE -f PATH\"", TEXT_ARG(words));
        }
    }
    if (file.length == 0)
        return error_set(error, ERROR_INVALID, "\"%.*s\" names no file (-f)", TEXT_ARG(words));
    line->registered = true;
    line->name = file;
    return ERROR_NONE;
}

enum error_code
saf_read_line(struct text text, struct saf_line *ret_line, struct error *error)
{
    struct saf_line line = {.bundle = TEXT(""), .permissions = TEXT(""), .description = TEXT("")};
    struct text rest;
    enum error_code code = ERROR_NONE;
    line.name = text_trim(text_cut(text, '\t', &rest));
    if (text_starts_with(line.name, TEXT("-r ")))
        code = read_registered(line.name, &line, error);
    while (code == ERROR_NONE && rest.data != NULL) {
        struct text flag = text_trim(text_cut(rest, '\t', &rest));
        if (cut_prefix(&flag, TEXT("bundle:")))
            line.bundle = flag;
        else if (cut_prefix(&flag, TEXT("permissions:")))
            line.permissions = flag;
        else if (cut_prefix(&flag, TEXT("description:")))
            line.description = flag;
        else if (cut_prefix(&flag, TEXT("sequence:")) && text_to_u64(flag, &line.sequence))
            continue;
        else if (cut_prefix(&flag, TEXT("primary:")))
            line.primary = text_equal_ignoring_case(flag, TEXT("true"));
        else if (text_starts_with(flag, TEXT("iiif-")))
            line.other = true;
        else if (flag.length > 0)
            code = error_set(error, ERROR_INVALID, "the flag \"%.*s\" is not known", TEXT_ARG(flag));
    }
    if (code == ERROR_NONE && line.name.length == 0)
        code = error_set(error, ERROR_INVALID, "a line without a file's name");
    if (code == ERROR_NONE)
        *ret_line = line;
    return code;
}

/* ---- the item ---- */

struct place {
    uint64_t number;
    struct field field;
};

struct item {
    const struct package_request *request;
    const struct saf_files *files;
    struct package *package;
    struct arena *arena;
    struct place *places; /* of the package's fields, in the same order */
    size_t place_count, place_capacity;
    bool all_placed;
};

static enum error_code
add_line(struct item *item, const struct saf_line *line, struct error *error)
{
    struct member_name name;
    const struct member_raw raw = {line->name, MEMBER_LATIN_1, false};
    struct package_file file = {.bundle = line->bundle, .description = line->description, .primary = line->primary,
                                .sequence = line->sequence};
    enum error_code code = member_name(item->arena, &raw, &name, error);
    if (code != ERROR_NONE)
        return code;
    if (name.path.length == 0 || name.folder || memchr(line->bundle.data, '/', line->bundle.length) != NULL)
        return error_set(error, ERROR_INVALID, "\"%.*s\" in bundle \"%.*s\" is no file", TEXT_ARG(line->name),
                         TEXT_ARG(line->bundle));
    if (file.bundle.length == 0)
        file.bundle = text_equal(name.path, TEXT("license.txt")) ? TEXT("LICENSE") : TEXT("ORIGINAL");
    file.path = line->registered ? reader_base_name(name.path) : name.path;
    if (line->permissions.length > 0 && !text_ends_with(line->permissions, TEXT("'Anonymous'")))
        describe_closed(item->package, "contents gives permissions to a group");
    if (line->other)
        package_note(item->package, "not kept: iiif flags of \"%.*s\"", TEXT_ARG(name.path));
    if (!line->registered)
        code = item->files->add(item->files->context, name.path, item->package, &file, error);
    else if (item->files->add_registered == NULL)
        code = error_set(error, ERROR_UNSUPPORTED, "\"%.*s\" is registered in an asset store that is not here",
                         TEXT_ARG(name.path));
    else
        code = item->files->add_registered(item->files->context, name.path, item->package, &file, error);
    if (code == ERROR_NOT_FOUND)
        return error_set(error, ERROR_INVALID, "\"%.*s\" is missing", TEXT_ARG(name.path));
    return code;
}

static enum error_code
read_contents(struct item *item, struct text contents, struct error *error)
{
    enum error_code code = ERROR_NONE;
    unsigned number = 0;
    for (struct text rest = contents; rest.data != NULL && code == ERROR_NONE;) {
        struct text text = reader_cut_line(rest, &rest);
        struct saf_line line;
        number++;
        if (text_trim(text).length == 0)
            continue;
        code = saf_read_line(text, &line, error);
        if (code == ERROR_NONE)
            code = add_line(item, &line, error);
    }
    return code == ERROR_NONE ? code : error_prefix(error, "contents, line %u", number);
}

/* ---- fields ---- */

/* `place`, which our own export writes: the field's place among those of all schemas. */
static enum error_code
note_place(struct item *item, const struct xml_node *value, struct error *error)
{
    size_t count = item->package->fields.count;
    struct text place;
    uint64_t number = 0;
    if (count > item->place_capacity) {
        size_t capacity = item->place_capacity == 0 ? 64 : item->place_capacity * 2;
        struct place *places = arena_alloc(item->arena, capacity * sizeof *places);
        if (places == NULL)
            return arena_status(item->arena, error);
        if (item->place_count > 0)
            memcpy(places, item->places, item->place_count * sizeof *places);
        item->places = places;
        item->place_capacity = capacity;
    }
    if (count == item->place_count) /* an empty value, which is left out */
        return ERROR_NONE;
    item->all_placed &= xml_attribute(value, "", "place", item->arena, &place) && text_to_u64(place, &number);
    item->places[item->place_count] = (struct place){number, item->package->fields.items[item->place_count]};
    item->place_count = count;
    return ERROR_NONE;
}

static int
compare_places(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

/* Where each field has its place: in that order; else as they were read. */
static void
order_fields(struct item *item)
{
    if (!item->all_placed || item->place_count == 0)
        return;
    qsort(item->places, item->place_count, sizeof *item->places, compare_places);
    for (size_t i = 0; i < item->place_count; i++)
        item->package->fields.items[i] = item->places[i].field;
}

static enum error_code
add_field(struct item *item, const struct xml_node *value, struct text schema, struct error *error)
{
    struct field field = {.schema = schema, .qualifier = TEXT(""), .language = TEXT(""), .authority = TEXT(""), .confidence = -1};
    struct text confidence;
    uint64_t number;
    if (!xml_attribute(value, "", "element", item->arena, &field.element))
        return error_set(error, ERROR_INVALID, "line %ld: a dcvalue without element", xml_line(value));
    (void)xml_attribute(value, "", "qualifier", item->arena, &field.qualifier);
    (void)xml_attribute(value, "", "language", item->arena, &field.language);
    (void)xml_attribute(value, "", "authority", item->arena, &field.authority);
    if (xml_attribute(value, "", "confidence", item->arena, &confidence) && text_to_u64(confidence, &number) && number <= 1000)
        field.confidence = (int)number;
    if (text_equal(field.qualifier, TEXT("none")))
        field.qualifier = TEXT("");
    field.value = xml_text(value, item->arena);
    enum error_code code = fields_add(&item->package->fields, &field, error);
    if (code == ERROR_NONE)
        code = note_place(item, value, error);
    return code == ERROR_NONE ? code : error_prefix(error, "line %ld", xml_line(value));
}

static enum error_code
read_fields(struct item *item, struct text name, struct error *error)
{
    struct package_file file = {.bundle = TEXT("METADATA"), .path = name, .media_type = TEXT("application/xml")};
    struct buffer bytes AV_CLEANUP(buffer_release) = {0};
    struct xml_document *document AV_CLEANUP(xml_document_clean) = NULL;
    struct text schema = TEXT("dc");
    enum error_code code = item->files->text(item->files->context, name, &bytes, error);
    if (code == ERROR_NONE)
        code = xml_document_parse(buffer_text(&bytes), &document, error);
    const struct xml_node *root = xml_root(document);
    if (code == ERROR_NONE && !xml_is(root, "", "dublin_core"))
        code = error_set(error, ERROR_INVALID, "the root is not dublin_core");
    (void)xml_attribute(root, "", "schema", item->arena, &schema);
    xml_each(value, root, "", "dcvalue") {
        if (code == ERROR_NONE)
            code = add_field(item, value, schema, error);
    }
    if (code != ERROR_NONE)
        return error_prefix(error, "%.*s", TEXT_ARG(name));
    return item->files->add(item->files->context, name, item->package, &file, error);
}

/* The file's text, or "" when the item has none of this name. */
static enum error_code
read_text(struct item *item, const char *name, struct text *ret_text, struct error *error)
{
    struct buffer bytes AV_CLEANUP(buffer_release) = {0};
    enum error_code code = item->files->text(item->files->context, text_from(name), &bytes, error);
    if (code == ERROR_NOT_FOUND) {
        *ret_text = TEXT("");
        return ERROR_NONE;
    }
    if (code == ERROR_NONE)
        *ret_text = arena_copy(item->package->arena, buffer_text(&bytes));
    return code == ERROR_NONE ? arena_status(item->package->arena, error) : code;
}

static bool
is_metadata(struct text name)
{
    return text_equal(name, TEXT("dublin_core.xml")) ||
           (text_starts_with(name, TEXT("metadata_")) && text_ends_with(name, TEXT(".xml")));
}

static bool
is_known(struct text name)
{
    return is_metadata(name) || text_equal(name, TEXT("contents")) || text_equal(name, TEXT("handle")) ||
           text_equal(name, TEXT("collections")) || text_equal(name, TEXT("relationships")) || text_equal(name, TEXT("embargo"));
}

/* dublin_core.xml first, then the other schemas in the order given. */
static enum error_code
read_metadata(struct item *item, const struct text *names, size_t name_count, struct error *error)
{
    enum error_code code = ERROR_NONE;
    bool found = false;
    for (size_t i = 0; i < name_count; i++)
        found |= text_equal(names[i], TEXT("dublin_core.xml"));
    if (!found)
        return error_set(error, ERROR_INVALID, "dublin_core.xml is missing");
    code = read_fields(item, TEXT("dublin_core.xml"), error);
    for (size_t i = 0; i < name_count && code == ERROR_NONE; i++) {
        if (is_metadata(names[i]) && !text_equal(names[i], TEXT("dublin_core.xml")))
            code = read_fields(item, names[i], error);
    }
    return code;
}

static enum error_code
read_lists(struct item *item, struct error *error)
{
    struct package *package = item->package;
    struct text handle = TEXT(""), embargo = TEXT("");
    const struct package_file relations = {.bundle = TEXT("METADATA"), .path = TEXT("relationships"), .media_type = TEXT("text/plain")};
    enum error_code code = read_text(item, "handle", &handle, error);
    if (code == ERROR_NONE)
        code = read_text(item, "collections", &package->collections, error);
    if (code == ERROR_NONE)
        code = read_text(item, "relationships", &package->relations, error);
    package->handle = text_trim(reader_cut_line(handle, &handle));
    if (code == ERROR_NONE && package->relations.length > 0)
        code = reader_add_bytes(package, item->request, package->relations, &relations, error);
    if (code == ERROR_NONE)
        code = read_text(item, "embargo", &embargo, error);
    embargo = text_trim(reader_cut_line(embargo, &embargo));
    return code != ERROR_NONE || embargo.length == 0 ? code : describe_embargo(package, embargo, error);
}

enum error_code
saf_read_item(const struct package_request *request, const struct saf_files *files, const struct text *names,
              size_t name_count, struct package *package, struct error *error)
{
    struct arena arena AV_CLEANUP(arena_release) = {0};
    struct item item = {.request = request, .files = files, .package = package, .arena = &arena, .all_placed = true};
    struct text contents = TEXT("");
    bool has_contents = false;
    enum error_code code = read_metadata(&item, names, name_count, error);
    order_fields(&item);
    if (code == ERROR_NONE)
        code = read_lists(&item, error);
    if (code == ERROR_NONE)
        code = read_text(&item, "contents", &contents, error);
    if (code == ERROR_NONE)
        code = read_contents(&item, contents, error);
    for (size_t i = 0; i < name_count; i++)
        has_contents |= text_equal(names[i], TEXT("contents"));
    for (size_t i = 0; i < name_count && code == ERROR_NONE; i++) {
        if (is_known(names[i]))
            continue;
        if (!has_contents)
            return error_set(error, ERROR_INVALID, "there are files (\"%.*s\") and no contents file", TEXT_ARG(names[i]));
        if (!package_has_file(package, TEXT("ORIGINAL"), names[i]) && !package_has_file(package, TEXT("LICENSE"), names[i]))
            package_note(package, "\"%.*s\" is in the directory, and contents does not put it into ORIGINAL or LICENSE",
                         TEXT_ARG(names[i]));
    }
    return code;
}

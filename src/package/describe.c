/* SPDX-License-Identifier: Apache-2.0 */
#include "package/describe.h"

#include "format/date.h"
#include "format/json.h"
#include "xml/xml_write.h"

/* Each leaf is looked for among the fields; of a document where that is more work than this (bytes looked at) the rest is
 * not reported. */
#define NOTED_WORK_MAX (UINT64_C(1) << 26)
static const struct text never = {"9999-12-31", 10};

/* ---- what was not mapped ---- */

/* With one blank for a run of white space, as fields have it; into the arena. */
static struct text
regular(struct text raw, struct arena *scratch)
{
    struct buffer out AV_CLEANUP(buffer_release) = {0};
    for (size_t i = 0; i < raw.length; i++) {
        bool blank = strchr(" \t\r\n", raw.data[i]) != NULL;
        if (!blank)
            buffer_append_char(&out, raw.data[i]);
        else if (out.length > 0 && out.data[out.length - 1] != ' ')
            buffer_append_char(&out, ' ');
    }
    return text_trim(arena_copy(scratch, buffer_text(&out)));
}

static bool
is_of_a_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & 0x80) != 0;
}

/* Whole words of it, whatever their case: "Family, Given" holds both names. */
static bool
holds(struct text value, struct text words)
{
    for (size_t at = 0; at + words.length <= value.length; at++) {
        size_t end = at + words.length;
        if (text_equal_ignoring_case(text_of(value.data + at, words.length), words) &&
            (at == 0 || !is_of_a_word(value.data[at - 1])) && (end == value.length || !is_of_a_word(value.data[end])))
            return true;
    }
    return false;
}

static bool
is_mapped(const struct fields *fields, struct text words)
{
    for (size_t i = 0; i < fields->count; i++) {
        if (holds(fields->items[i].value, words))
            return true;
    }
    return words.length == 0;
}

static uint64_t
value_bytes(const struct fields *fields)
{
    uint64_t total = 1;
    for (size_t i = 0; i < fields->count; i++)
        total += fields->items[i].value.length + 1;
    return total;
}

static void
note_unmapped(struct package *package, const struct xml_node *node, struct arena *scratch, uint64_t *work)
{
    const struct xml_node *child = xml_child(node, NULL, NULL);
    if (*work > NOTED_WORK_MAX || xml_is(node, NULL, "documents")) /* of an eprint: files, no metadata */
        return;
    for (; child != NULL; child = xml_sibling(child, NULL, NULL))
        note_unmapped(package, child, scratch, work);
    if (xml_child(node, NULL, NULL) != NULL)
        return;
    *work += value_bytes(&package->fields);
    struct text text = regular(xml_text(node, scratch), scratch), name = xml_name(node);
    if (!is_mapped(&package->fields, text))
        package_note(package, "not mapped: %.*s of line %ld: %.*s", TEXT_ARG(name), xml_line(node),
                     (int)(text.length < 200 ? text.length : 200), text.data);
    arena_reset(scratch);
}

enum error_code
describe_xml(struct package *package, const struct package_request *request, const char *crosswalk,
             const struct xml_node *node, struct error *error)
{
    struct arena scratch AV_CLEANUP(arena_release) = {0};
    uint64_t work = 0;
    size_t before = package->fields.count;
    enum error_code code = crosswalk_in(request->crosswalks, crosswalk, node, &package->fields, error);
    if (code != ERROR_NONE)
        return code;
    package_note(package, "metadata by crosswalk %s: %zu fields", crosswalk, package->fields.count - before);
    note_unmapped(package, node, &scratch, &work);
    return ERROR_NONE;
}

enum error_code
describe_rights(struct package *package, const struct package_request *request, const struct xml_node *node,
                struct error *error)
{
    struct arena scratch AV_CLEANUP(arena_release) = {0};
    struct fields fields;
    fields_init(&fields, &scratch);
    enum error_code code = crosswalk_in(request->crosswalks, "metsrights", node, &fields, error);
    for (size_t i = 0; i < fields.count && code == ERROR_NONE; i++) {
        const struct field *field = &fields.items[i];
        if (text_equal(field->schema, TEXT("local")) && text_equal(field->element, TEXT("embargo")))
            code = describe_embargo(package, field->value, error);
        else
            code = fields_add(&package->fields, field, error);
    }
    return code == ERROR_NONE ? code : error_prefix(error, "rights of line %ld", xml_line(node));
}

/* ---- SWORD 3's JSON ---- */

static bool
is_name(struct text name)
{
    for (size_t i = 0; i < name.length; i++) {
        char c = name.data[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')))
            return false;
    }
    return name.length > 0;
}

/* True: "dc:NAME" or "dcterms:NAME", written as an element. */
static bool
put_member(struct xml_writer *writer, const struct json *member, struct arena *scratch)
{
    struct text local, prefix = text_cut(member->key, ':', &local), value;
    if (local.data == NULL || !is_name(local) || (!text_equal(prefix, TEXT("dc")) && !text_equal(prefix, TEXT("dcterms"))))
        return false;
    const char *name = arena_string(scratch, member->key);
    if (name == NULL)
        return false;
    if (json_text(member, &value)) {
        xml_put_element(writer, name, value);
        return true;
    }
    if (member->kind != JSON_ARRAY)
        return false;
    json_each(one, member) {
        if (json_text(one, &value))
            xml_put_element(writer, name, value);
    }
    return true;
}

enum error_code
describe_sword_json(struct package *package, const struct package_request *request, struct text json, struct error *error)
{
    struct arena scratch AV_CLEANUP(arena_release) = {0};
    struct buffer xml AV_CLEANUP(buffer_release) = {0};
    struct xml_document *document AV_CLEANUP(xml_document_clean) = NULL;
    struct xml_writer writer = xml_writer(&xml);
    struct json *root = NULL;
    enum error_code code = json_parse(&scratch, json, &root, error);
    if (code == ERROR_NONE && root->kind != JSON_OBJECT)
        code = error_set(error, ERROR_INVALID, "metadata that is no JSON object");
    if (code != ERROR_NONE)
        return code;
    xml_begin_element(&writer, "metadata");
    xml_put_attribute(&writer, "xmlns:dc", TEXT("http://purl.org/dc/elements/1.1/"));
    xml_put_attribute(&writer, "xmlns:dcterms", TEXT("http://purl.org/dc/terms/"));
    json_each(member, root) {
        if (!put_member(&writer, member, &scratch) && !text_starts_with(member->key, TEXT("@")))
            package_note(package, "not mapped: %.*s", TEXT_ARG(member->key));
    }
    xml_end_element(&writer);
    code = buffer_status(&xml, error);
    if (code == ERROR_NONE)
        code = xml_document_parse(buffer_text(&xml), &document, error);
    return code != ERROR_NONE ? code : describe_xml(package, request, "dc", xml_root(document), error);
}

/* ---- embargo ---- */

enum error_code
describe_embargo(struct package *package, struct text date, struct error *error)
{
    int64_t time_us;
    struct text day = text_trim(date);
    if (day.length > 10 && day.data[10] == 'T')
        day.length = 10;
    if (!date_parse_day(day, &time_us))
        return error_set(error, ERROR_INVALID, "\"%.*s\" is no date YYYY-MM-DD", TEXT_ARG(date));
    if (text_compare(day, package->embargo) > 0)
        package->embargo = arena_copy(package->arena, day);
    package_note(package, "embargo: files are closed until %.*s", TEXT_ARG(package->embargo));
    return arena_status(package->arena, error);
}

void
describe_closed(struct package *package, const char *why)
{
    package->embargo = never;
    package_note(package, "files are closed until somebody opens them: %s", why);
}

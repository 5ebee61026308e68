/* SPDX-License-Identifier: Apache-2.0 */
/* METS packages in zips, written by hand so that the load tester shares no code with what it tests: see package.h. */
#include "package.h"

#include "body.h"

#define AUTHORS 200000u
#define SUBJECTS 20000u
#define MEMBERS 2u

/* ---- metadata ------------------------------------------------------------------------------------------------- */

static uint64_t
drawn(uint64_t seed, uint64_t number, uint64_t salt)
{
    uint64_t x = seed ^ (number * UINT64_C(0x9E3779B97F4A7C15)) ^ (salt * UINT64_C(0xD1B54A32D192ED03));
    x ^= x >> 29;
    x *= UINT64_C(0xBF58476D1CE4E5B9);
    return x ^ x >> 32;
}

static void
append_statement(struct buffer *out, const char *property, const char *value)
{
    buffer_printf(out, "<epdcx:statement epdcx:propertyURI=\"%s\"><epdcx:valueString>%s</epdcx:valueString></epdcx:statement>",
                  property, value);
}

static void
append_mets(uint64_t seed, uint64_t number, struct buffer *out)
{
    char value[160];
    buffer_append_string(
        out, "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<mets ID=\"m\" OBJID=\"bench\" LABEL=\"bench\" "
             "PROFILE=\"DSpace METS SIP Profile 1.0\" xmlns=\"http://www.loc.gov/METS/\" "
             "xmlns:xlink=\"http://www.w3.org/1999/xlink\"><dmdSec ID=\"d1\"><mdWrap MDTYPE=\"OTHER\" "
             "OTHERMDTYPE=\"EPDCX\" MIMETYPE=\"text/xml\"><xmlData><epdcx:descriptionSet "
             "xmlns:epdcx=\"http://purl.org/eprint/epdcx/2006-11-16/\"><epdcx:description epdcx:resourceId=\"w\">");
    snprintf(value, sizeof value, "Observation %llu of growth under condition %llx", (unsigned long long)number,
             (unsigned long long)drawn(seed, number, 1));
    append_statement(out, "http://purl.org/dc/elements/1.1/title", value);
    for (unsigned i = 0; i < 3; i++) {
        snprintf(value, sizeof value, "Author%06llu, A.", (unsigned long long)(drawn(seed, number, 10 + i) % AUTHORS));
        append_statement(out, "http://purl.org/dc/elements/1.1/creator", value);
    }
    snprintf(value, sizeof value, "subject %05llu", (unsigned long long)(drawn(seed, number, 20) % SUBJECTS));
    append_statement(out, "http://purl.org/dc/elements/1.1/subject", value);
    append_statement(out, "http://purl.org/dc/terms/abstract", "One of many observations that a robot deposits by itself.");
    buffer_append_string(
        out, "</epdcx:description></epdcx:descriptionSet></xmlData></mdWrap></dmdSec><fileSec><fileGrp ID=\"g\" USE=\"CONTENT\">"
             "<file ID=\"f1\" MIMETYPE=\"application/octet-stream\"><FLocat LOCTYPE=\"URL\" xlink:href=\"data.bin\"/></file>"
             "</fileGrp></fileSec><structMap ID=\"s\"><div ID=\"v\" DMDID=\"d1\"><fptr FILEID=\"f1\"/></div></structMap></mets>\n");
}

/* ---- zip --------------------------------------------------------------------------------------------------------- */

static void
append_little(struct buffer *out, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        buffer_append_char(out, (char)(value >> (8 * i)));
}

static uint32_t
crc32_of(const char *data, size_t length)
{
    static uint32_t table[256];
    uint32_t crc = UINT32_MAX;
    if (table[1] == 0)
        for (uint32_t i = 0; i < 256; i++) {
            uint32_t value = i;
            for (int bit = 0; bit < 8; bit++)
                value = (value & 1) != 0 ? 0xEDB88320u ^ value >> 1 : value >> 1;
            table[i] = value;
        }
    for (size_t i = 0; i < length; i++)
        crc = table[(crc ^ (unsigned char)data[i]) & 0xFF] ^ crc >> 8;
    return ~crc;
}

struct member {
    const char *name;
    uint64_t offset, size;
    uint32_t crc;
};

/* What local header and directory have in common, from the version needed on. */
static void
append_facts(struct buffer *out, const struct member *member)
{
    append_little(out, 20, 2);
    append_little(out, 0, 2 + 2); /* flags, stored */
    append_little(out, 0x5C210000u, 4); /* 2026-01-01 00:00 */
    append_little(out, member->crc, 4);
    append_little(out, member->size, 4);
    append_little(out, member->size, 4);
    append_little(out, strlen(member->name), 2);
    append_little(out, 0, 2);
}

static void
append_member(struct buffer *out, size_t start, struct member *member, struct text data)
{
    member->offset = out->length - start;
    member->size = data.length;
    member->crc = crc32_of(data.data, data.length);
    append_little(out, 0x04034B50u, 4);
    append_facts(out, member);
    buffer_append_string(out, member->name);
    buffer_append_text(out, data);
}

static void
append_directory(struct buffer *out, size_t start, const struct member *members)
{
    size_t begins = out->length;
    for (unsigned i = 0; i < MEMBERS; i++) {
        append_little(out, 0x02014B50u, 4);
        append_little(out, 20, 2);
        append_facts(out, &members[i]);
        append_little(out, 0, 2 + 2 + 2); /* comment, disk, internal attributes */
        append_little(out, 0, 4);
        append_little(out, members[i].offset, 4);
        buffer_append_string(out, members[i].name);
    }
    size_t length = out->length - begins;
    append_little(out, 0x06054B50u, 4);
    append_little(out, 0, 4);
    append_little(out, MEMBERS, 2);
    append_little(out, MEMBERS, 2);
    append_little(out, length, 4);
    append_little(out, begins - start, 4);
    append_little(out, 0, 2);
}

void
package_append(uint64_t seed, uint64_t number, uint64_t size, struct buffer *out)
{
    struct member members[MEMBERS] = {{.name = "mets.xml"}, {.name = "data.bin"}};
    struct buffer data = {0};
    size_t start = out->length;
    append_mets(seed, number, &data);
    append_member(out, start, &members[0], buffer_text(&data));
    buffer_clear(&data);
    body_append(seed, number, size, &data);
    append_member(out, start, &members[1], buffer_text(&data));
    buffer_release(&data);
    append_directory(out, start, members);
}

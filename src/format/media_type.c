/* SPDX-License-Identifier: Apache-2.0 */
/* Extensions and their media types: see media_type.h. */
#include "format/media_type.h"

/* X("extension", "type") */
#define TYPES(X)                                                                                   \
    X("7z", "application/x-7z-compressed")                                                         \
    X("aac", "audio/aac")                                                                          \
    X("aif", "audio/aiff")                                                                         \
    X("aiff", "audio/aiff")                                                                        \
    X("avi", "video/x-msvideo")                                                                    \
    X("bib", "application/x-bibtex")                                                               \
    X("bmp", "image/bmp")                                                                          \
    X("bz2", "application/x-bzip2")                                                                \
    X("csv", "text/csv")                                                                           \
    X("css", "text/css")                                                                           \
    X("doc", "application/msword")                                                                 \
    X("docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document")           \
    X("eps", "application/postscript")                                                             \
    X("epub", "application/epub+zip")                                                              \
    X("flac", "audio/flac")                                                                        \
    X("gif", "image/gif")                                                                          \
    X("gz", "application/gzip")                                                                    \
    X("htm", "text/html")                                                                          \
    X("html", "text/html")                                                                         \
    X("jp2", "image/jp2")                                                                          \
    X("jpeg", "image/jpeg")                                                                        \
    X("jpg", "image/jpeg")                                                                         \
    X("js", "text/javascript")                                                                     \
    X("json", "application/json")                                                                  \
    X("jsonld", "application/ld+json")                                                             \
    X("latex", "application/x-latex")                                                              \
    X("m4a", "audio/mp4")                                                                          \
    X("m4v", "video/mp4")                                                                          \
    X("md", "text/markdown")                                                                       \
    X("mkv", "video/matroska")                                                                     \
    X("mov", "video/quicktime")                                                                    \
    X("mp3", "audio/mpeg")                                                                         \
    X("mp4", "video/mp4")                                                                          \
    X("mpeg", "video/mpeg")                                                                        \
    X("mpg", "video/mpeg")                                                                         \
    X("nc", "application/x-netcdf")                                                                \
    X("nt", "application/n-triples")                                                               \
    X("odp", "application/vnd.oasis.opendocument.presentation")                                    \
    X("ods", "application/vnd.oasis.opendocument.spreadsheet")                                     \
    X("odt", "application/vnd.oasis.opendocument.text")                                            \
    X("ogg", "audio/ogg")                                                                          \
    X("pdf", "application/pdf")                                                                    \
    X("png", "image/png")                                                                          \
    X("ppt", "application/vnd.ms-powerpoint")                                                      \
    X("pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation")         \
    X("ps", "application/postscript")                                                              \
    X("rdf", "application/rdf+xml")                                                                \
    X("rtf", "application/rtf")                                                                    \
    X("svg", "image/svg+xml")                                                                      \
    X("tar", "application/x-tar")                                                                  \
    X("tex", "application/x-tex")                                                                  \
    X("tif", "image/tiff")                                                                         \
    X("tiff", "image/tiff")                                                                        \
    X("tsv", "text/tab-separated-values")                                                          \
    X("ttl", "text/turtle")                                                                        \
    X("txt", "text/plain")                                                                         \
    X("wav", "audio/wav")                                                                          \
    X("webm", "video/webm")                                                                        \
    X("webp", "image/webp")                                                                        \
    X("xls", "application/vnd.ms-excel")                                                           \
    X("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet")                 \
    X("xml", "application/xml")                                                                    \
    X("xsl", "application/xslt+xml")                                                               \
    X("xz", "application/x-xz")                                                                    \
    X("yaml", "application/yaml")                                                                  \
    X("zip", "application/zip")

static const struct {
    const char *extension, *type;
} types[] = {
#define X(extension, type) {extension, type},
    TYPES(X)
#undef X
};

const char *
media_type_of_name(struct text name)
{
    size_t start = name.length;
    while (start > 0 && name.data[start - 1] != '.' && name.data[start - 1] != '/')
        start--;
    if (start > 0 && name.data[start - 1] == '.')
        for (size_t i = 0; i < sizeof types / sizeof *types; i++)
            if (text_equal_ignoring_case(text_of(name.data + start, name.length - start), text_from(types[i].extension)))
                return types[i].type;
    return "application/octet-stream";
}

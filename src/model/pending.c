/* SPDX-License-Identifier: Apache-2.0 */
/* Stand-ins, weak, until the real ones land: each says that it is not there. */
#include "model/maintenance.h"
#define PENDING(name, ...) __attribute__((weak)) enum error_code name(__VA_ARGS__) { return error_set(error, ERROR_UNSUPPORTED, #name " is not there yet"); }
PENDING(model_dump, struct model *m, maintenance_line *l, void *c, struct error *error)
PENDING(model_fsck, struct model *m, maintenance_proceed *p, maintenance_line *l, void *c, uint64_t *f, struct error *error)
PENDING(model_seal, struct model *m, struct error *error)
PENDING(model_journal, struct model *m, uint64_t a, bool k, struct text e, maintenance_line *l, void *c, struct error *error)
PENDING(model_export_ocfl, struct model *m, const char *f, maintenance_proceed *p, void *c, struct error *error)
PENDING(model_rebuild, const struct model_options *o, uint64_t *r, struct error *error)
__attribute__((weak)) enum error_code model_volumes(struct model *m, maintenance_line *l, void *c, struct error *error) { return ERROR_NONE; }

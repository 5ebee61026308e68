/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the model itself journals, through the same queue and groups as everybody's transactions.
 */
#include "model/commit/transaction_private.h"

static enum error_code
commit_own(struct transaction *t, struct line_origin *ret_origin, struct error *error)
{
    t->urgent = true;
    enum error_code code = transaction_commit(t, error);
    if (code == ERROR_NONE && ret_origin != NULL)
        *ret_origin = (struct line_origin){t->sequence, t->last->line_index, t->last->result.time_us};
    transaction_free(t);
    return code;
}

enum error_code
committer_journal(struct model *model, const struct line *lines, size_t count, bool urgent,
                  const struct id_list *forget, struct line_origin *ret_origin, struct error *error)
{
    struct principal self = {.role = ROLE_ADMINISTRATOR, .name = TEXT("archivolt")};
    struct transaction *t;
    enum error_code code = transaction_new(model, &self, &t, error);
    if (code != ERROR_NONE)
        return code;
    for (size_t i = 0; i < count; i++) {
        struct stage *stage = transaction_stage(t, STAGE_line, error);
        if (stage == NULL) {
            transaction_free(t);
            return ERROR_LIMIT;
        }
        stage->line = lines[i];
    }
    t->forget = forget;
    return commit_own(t, ret_origin, error);
}

enum error_code
committer_tombstones(struct model *model, const struct id_list *ids, const struct line *affected,
                     struct error *error)
{
    struct principal self = {.role = ROLE_ADMINISTRATOR, .name = TEXT("archivolt")};
    struct transaction *t;
    enum error_code code = transaction_new(model, &self, &t, error);
    if (code != ERROR_NONE)
        return code;
    transaction_set_message(t, TEXT("deleted"));
    for (size_t i = 0; i <= ids->count; i++) {
        struct stage *stage = transaction_stage(t, i < ids->count ? STAGE_tombstone : STAGE_line, error);
        if (stage == NULL) {
            transaction_free(t);
            return ERROR_LIMIT;
        }
        if (i < ids->count)
            stage->target = target_id(ids->ids[i]);
        else
            stage->line = *affected;
    }
    return commit_own(t, NULL, error);
}

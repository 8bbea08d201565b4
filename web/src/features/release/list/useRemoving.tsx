import { useState } from 'react';
import type { ReleaseItem } from '@/api/types';
import { refreshReleases } from '@/domain/messaging/api';
import { useBulk } from '@/domain/messaging/bulk';
import { DeleteMessageDialog, useRestore } from '@/domain/messaging/DeleteMessageDialog';
import { useStartJob } from '@/domain/messaging/jobs/api';
import { RefusedDialog } from '@/domain/messaging/RefusedDialog';
import type { Refusal } from '@/shared/bulk';
import { formatCount, plural } from '@/shared/format';
import { paths } from '@/shared/paths';
import { useAsk } from '@/shared/ui/AskDialog';
import { useDiscard } from '@/shared/ui/useDiscard';
import { offerUndo } from '@/shared/undo';
import type { ReleaseList } from './useReleaseList';

/** Deleting one release or the selected ones, with the questions before and the refusals after. */
export function useRemoving({ selection, query, request, rows, areDrafts }: ReleaseList) {
  const remove = useBulk(refreshReleases);
  const [refused, setRefused] = useState<Refusal[]>([]);
  const [toDelete, setToDelete] = useState<ReleaseItem | null>(null);
  const [ask, question] = useAsk();
  const [discard, discardQuestion] = useDiscard();
  const job = useStartJob();
  const restore = useRestore();
  const removed = areDrafts ? 'discarded' : 'deleted';

  const removeSelected = () => {
    const total = formatCount(query.data?.totalCount ?? 0, query.data?.totalIsCapped);
    const noun = areDrafts ? 'draft' : 'message';
    const subject = selection.isAll ? `all ${total} ${noun}s` : plural(selection.ids.size, noun);
    const run = async () => {
      if (selection.isAll) {
        const { isDraft, filter, statuses, startDate, endDate } = request;
        await job.mutateAsync({ act: 'delete', release: { isDraft, filter, statuses, startDate, endDate } });
        return selection.clear();
      }
      const { done, refused } = await remove.mutateAsync({ act: 'delete', ids: selection.list });
      selection.clear();
      setRefused(refused);
      if (done.length > 0) offerUndo(`${plural(done.length, noun)} ${removed}.`, () => restore(done));
    };
    const failed = 'They could not be removed. Please try again.';
    if (areDrafts) {
      const lost = 'Their texts and attachments are removed for everybody in your organization.';
      return discard({ what: subject, subject, lost, run, failed });
    }
    const leave = 'They leave Release for everybody in your organization.';
    ask({ title: `Delete ${subject}?`, subject, question: leave, label: 'Delete', danger: true, run, failed });
  };
  const dialogs = (
    <>
      <DeleteMessageDialog message={toDelete} onClose={() => setToDelete(null)} onDeleted={() => toDelete && selection.drop(toDelete.id)} />
      {question}
      {discardQuestion}
      {refused.length > 0 && (
        <RefusedDialog
          refused={refused}
          hrefOf={areDrafts ? paths.releaseDraft : paths.releaseMessage}
          subjectOf={(id) => rows?.find((m) => m.id === id)?.subject}
          verb={removed}
          onClose={() => setRefused([])}
        />
      )}
    </>
  );
  return { removeOne: setToDelete, removeSelected, dialogs };
}

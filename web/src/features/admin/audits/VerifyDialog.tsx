import { Button, Progress as Bar } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { api, quiet, unwrap } from '@/api/client';
import type { AuditVerification } from '@/api/types';
import { wordsOf } from '@/shared/errors';
import { formatCount, formatDateTime } from '@/shared/format';
import { Notice } from '@/shared/ui/blocks';
import { Dialog } from '@/shared/ui/Dialog';
import classes from './audits.module.css';
import { after, findingText, NOTHING } from './rules';

/** Number of listed findings; the rest are counted. */
const SHOWN = 50;

/** Checks the whole trail part by part, until it is closed. */
export function VerifyDialog({ onClose }: { onClose: () => void }) {
  const [progress, setProgress] = useState(NOTHING);
  const isClosed = useRef(false);
  const check = useMutation({
    meta: { ownErrors: true },
    mutationFn: async () => {
      let known = NOTHING;
      let from: AuditVerification['next'] = null;
      while (!known.isOver && !isClosed.current) {
        const part: AuditVerification = await unwrap(api.POST('/api/admin/audits/verification', { body: { from }, ...quiet }));
        known = after(known, part);
        from = part.next;
        setProgress(known);
      }
    },
  });
  const { mutate } = check;
  useEffect(() => {
    isClosed.current = false;
    mutate();
    return () => {
      isClosed.current = true;
    };
  }, [mutate]);
  const { checked, total, findings, heads, isOver } = progress;
  const problems = [...findings.map(findingText), ...(heads?.problems ?? [])];
  return (
    <Dialog
      opened
      onClose={onClose}
      title="Verify the audit trail"
      size={600}
      footer={
        <>
          <div className="cp-grow" />
          <Button size="md" variant="default" onClick={onClose} data-autofocus>
            {isOver || check.isError ? 'Close' : 'Stop'}
          </Button>
        </>
      }
    >
      <div className={classes.verify}>
        <Bar value={total ? (100 * checked) / total : 0} aria-label="Checked entries" />
        <p role="status" className="cp-second cp-num">
          {formatCount(checked)} of {formatCount(total)} entries checked.
        </p>
        {check.isError && <Notice kind="error">{wordsOf(check.error)}</Notice>}
        {problems.length > 0 && (
          <Notice kind="error">
            <ul aria-label="Findings">
              {problems.slice(0, SHOWN).map((text) => (
                <li key={text}>{text}</li>
              ))}
            </ul>
            {problems.length > SHOWN && <p>And {formatCount(problems.length - SHOWN)} more.</p>}
          </Notice>
        )}
        {isOver && problems.length === 0 && (
          <Notice kind="success">
            All entries are unchanged, and none is missing.
            {heads?.keptAt &&
              ` The newest entries were compared with the copy kept outside the database on ${formatDateTime(heads.keptAt)}.`}
          </Notice>
        )}
      </div>
    </Dialog>
  );
}

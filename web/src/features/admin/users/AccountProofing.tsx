import { Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, rawFetch } from '@/api/client';
import { ProofingDecision } from '@/api/limits.gen';
import { queryOf } from '@/api/query';
import type { AdminUserRow } from '@/api/types';
import { reportFailure } from '@/shared/errors';
import { Form } from '@/shared/form/Form';
import { checkboxField, choiceField, Fields, textField, useFieldForm } from '@/shared/form/fields';
import { truncate } from '@/shared/format';
import { notify } from '@/shared/notify';
import { paths } from '@/shared/paths';
import { saveFile } from '@/shared/saveFile';
import { AppLink } from '@/shared/ui/AppLink';
import { useAsk } from '@/shared/ui/AskDialog';
import { NoticeList } from '@/shared/ui/blocks';
import { Dialog } from '@/shared/ui/Dialog';
import { at, subjectOf, useRefreshUsers } from './api';

const FILE_NAME_MAX = 60;

const fields = {
  status: choiceField(
    'ID proofing status',
    [
      { value: 'Passed', label: 'Passed' },
      { value: 'NotPassed', label: 'Not passed' },
    ],
    { required: 'ID proofing status is required.' },
  ),
  reason: textField('Reason (sent to the person)', { rows: 2, when: (values) => values.status === 'NotPassed' }),
  sendEmail: checkboxField('Tell the person by e-mail'),
};

/** The identity proofing of a person, with the submitted photo ID. */
export function AccountProofing({ user, onClose }: { user: AdminUserRow; onClose: () => void }) {
  const account = useQuery({ ...queryOf('get', '/api/admin/users/{id}', at(user.id)), staleTime: 0 });
  const changed = useRefreshUsers();
  const [ask, question] = useAsk();
  const [initial] = useState(() => ({
    status: user.idProofStatus === 'Passed' ? ('Passed' as const) : ('NotPassed' as const),
    reason: '',
    sendEmail: false,
  }));
  const { form, busy, formErrors, onSubmit } = useFieldForm({
    fields,
    limits: { reason: ProofingDecision.reason },
    initialValues: initial,
    failed: "There was an error updating the user's ID Proofing Status.",
    submit: async ({ status, reason, sendEmail }) => {
      const passed = status === 'Passed';
      await api.POST('/api/admin/users/idproof', { body: { userId: user.id, passed, sendEmail, reason: passed ? '' : reason } });
      await changed();
      onClose();
      notify('success', 'Users Identity Proofing Status has been updated.');
    },
  });
  const download = useMutation({
    mutationFn: async () => (await rawFetch(`/api/admin/users/${user.id}/idproof`)).blob(),
    meta: { ownErrors: true },
    onSuccess: (file) => saveFile(file, account.data?.idProofFileName ?? 'photo-id'),
    onError: (error) => reportFailure(error, 'The file could not be downloaded.', { serverFirst: true }),
  });
  const reset = () =>
    ask({
      title: 'Reset Manual ID Submission',
      subject: subjectOf(user),
      question: 'The submitted document is deleted, and the person starts again. Are you sure?',
      label: 'Reset',
      danger: true,
      run: async () => {
        await api.POST('/api/admin/users/{id}/idproof/reset', at(user.id));
        await changed();
      },
      done: 'Users Manual ID Submission has been reset.',
      failed: 'There was an error resetting users manual ID submission.',
    });
  const fileName = account.data?.idProofFileName;
  return (
    <Dialog
      opened
      onClose={onClose}
      title="User Identity Proofing"
      size={560}
      staysOnOutsideClick={form.isDirty()}
      footer={
        <>
          <Button size="md" variant="default" onClick={reset}>
            Reset Submission
          </Button>
          <div className="cp-grow" />
          <Button size="md" variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button size="md" type="submit" form="id-proofing" loading={busy}>
            Save
          </Button>
        </>
      }
    >
      <p className="cp-subject">{subjectOf(user)}</p>
      {fileName && (
        <ul className="usr-places" aria-label="Manual ID submission">
          <li>
            <span className="cp-grow cp-ell" title={fileName}>
              {truncate(fileName, FILE_NAME_MAX)}
            </span>
            <AppLink className="cp-link" href={paths.adminProofingOf(user.id)}>
              Review
            </AppLink>
            <Button variant="default" loading={download.isPending} onClick={() => download.mutate()}>
              Download
            </Button>
          </li>
        </ul>
      )}
      {account.data && !fileName && <p className="cp-second">No photo ID of this person is kept.</p>}
      <Form id="id-proofing" className="cp-dialog-form" onSubmit={onSubmit}>
        <NoticeList kind="error" messages={formErrors} />
        <Fields of={fields} limits={{ reason: ProofingDecision.reason }} form={form} autoFocus />
      </Form>
      {question}
    </Dialog>
  );
}

import { Button, Checkbox, Radio } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '@/api/client';
import type { OrganizationRow } from '@/api/types';
import { Form } from '@/shared/form/Form';
import { notify } from '@/shared/notify';
import { Notice } from '@/shared/ui/blocks';
import { ConfirmDialog, Dialog } from '@/shared/ui/Dialog';
import { clearCancellation, deleteOrganization, setActivation } from './api';

/** A mutation with its messages for success and failure; a refusal has shown its own. */
export function useAct<V>(
  run: (variables: V) => Promise<unknown>,
  texts: { done: string; failed: string },
  onDone?: (variables: V) => void,
) {
  return useMutation({
    mutationFn: run,
    meta: { ownErrors: true },
    onSuccess: (_, variables) => {
      notify('success', texts.done);
      onDone?.(variables);
    },
    onError: (error) => {
      if (error instanceof ApiError && (error.isRefused || error.isRevoked)) return;
      // An error of the request says more than the general failure message.
      const fieldText = error instanceof ApiError ? Object.values(error.modelState).flat()[0] : undefined;
      notify('error', fieldText ?? texts.failed);
    },
  });
}

type Props = { organization: Pick<OrganizationRow, 'id' | 'name' | 'isActivated'>; onClose: () => void };

export function DeleteOrganizationDialog({ organization, onClose }: Props) {
  const act = useAct(
    deleteOrganization,
    { done: 'The organization was deleted successfully.', failed: 'There was an error deleting this organization.' },
    onClose,
  );
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      onConfirm={() => act.mutate(organization.id)}
      title="Delete Organization"
      subject={organization.name}
      question="Its people can no longer sign in, and its Direct addresses and fax numbers stop working. Are you sure?"
      confirmLabel="Delete"
      danger
      busy={act.isPending}
    />
  );
}

export function ClearCancellationDialog({ organization, onClose }: Props) {
  const act = useAct(
    clearCancellation,
    { done: 'The cancellation was cleared successfully.', failed: 'There was an error clearing the cancellation for this organization.' },
    onClose,
  );
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      onConfirm={() => act.mutate(organization.id)}
      title="Clear Cancellation"
      subject={organization.name}
      question="The organization keeps its subscription, and the pending cancellation is dropped. Are you sure?"
      confirmLabel="Clear"
      busy={act.isPending}
    />
  );
}

export function ActivationDialog({ organization, onClose }: Props) {
  const [activated, setActivated] = useState(organization.isActivated);
  const [sendEmail, setSendEmail] = useState(false);
  const [seedRecords, setSeedRecords] = useState(true);
  const act = useAct(
    setActivation,
    { done: 'Organization Activation Status has been updated.', failed: 'There was an error updating the organization activation status.' },
    onClose,
  );
  const isActivating = activated && !organization.isActivated;
  return (
    <Dialog
      opened
      onClose={onClose}
      title="Activation Status"
      size={560}
      footer={
        <>
          <div className="cp-grow" />
          <Button size="md" variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button size="md" type="submit" form="activation" loading={act.isPending} disabled={activated === organization.isActivated}>
            Save
          </Button>
        </>
      }
    >
      <Form
        id="activation"
        className="adm-form"
        onSubmit={(e) => {
          e.preventDefault();
          act.mutate({
            id: organization.id,
            activated,
            sendEmail: isActivating && sendEmail,
            seedRecords: isActivating && seedRecords,
          });
        }}
      >
        <p className="cp-subject">{organization.name}</p>
        <Radio.Group label="Status" value={activated ? 'Activated' : 'NotActivated'} onChange={(v) => setActivated(v === 'Activated')}>
          <div className="adm-radios">
            <Radio size="xs" value="Activated" label="Activated" data-autofocus />
            <Radio size="xs" value="NotActivated" label="Not Activated" />
          </div>
        </Radio.Group>
        <Notice kind="warning">Provision the organization with the messaging provider before you activate it.</Notice>
        <p className="cp-question cp-second">Activating enables the functions of Intake and Release for everybody in the organization.</p>
        {isActivating && (
          <div className="adm-checks">
            <Checkbox
              label="Send activation email to the administrators"
              checked={sendEmail}
              onChange={(e) => setSendEmail(e.currentTarget.checked)}
            />
            <Checkbox
              label="Create default records address"
              checked={seedRecords}
              onChange={(e) => setSeedRecords(e.currentTarget.checked)}
            />
          </div>
        )}
      </Form>
    </Dialog>
  );
}

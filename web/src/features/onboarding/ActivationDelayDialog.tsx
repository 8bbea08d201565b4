import './onboarding.css';
import { Button, Checkbox } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { refreshProfile } from '@/app/session';
import { Dialog } from '@/shared/ui/Dialog';
import { dismissActivationNotice } from './api';

/** Says that activation takes some days, until the user dismisses it for good. */
export function ActivationDelayDialog({ onClose }: { onClose: () => void }) {
  const [never, setNever] = useState(false);
  const dismiss = useMutation({
    mutationFn: dismissActivationNotice,
    onSuccess: async () => {
      onClose();
      await refreshProfile();
    },
  });
  return (
    <Dialog
      opened
      onClose={onClose}
      title="Welcome!"
      size={520}
      footer={
        <>
          <div className="cp-grow" />
          <Button size="md" data-autofocus loading={dismiss.isPending} onClick={() => (never ? dismiss.mutate() : onClose())}>
            Ok
          </Button>
        </>
      }
    >
      <div className="onb-body">
        <p>
          Your organization is being activated. This takes 2-3 business days, and we will send you an email when it is done. Until then you
          can look around.
        </p>
        <Checkbox label="Don't show this message again" checked={never} onChange={(e) => setNever(e.currentTarget.checked)} />
      </div>
    </Dialog>
  );
}

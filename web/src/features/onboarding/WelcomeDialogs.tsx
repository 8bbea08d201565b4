import './onboarding.css';
import { Button } from '@mantine/core';
import { useProfile } from '@/app/session';
import { Dialog } from '@/shared/ui/Dialog';
import { StepFoot } from './parts';

type Props = { onNext: () => void; busy?: boolean };

export function WelcomeDialog({ onNext }: Props) {
  const profile = useProfile();
  return (
    <Dialog
      opened
      locked
      onClose={() => {}}
      title="Welcome"
      size={560}
      footer={
        <StepFoot step={2}>
          <Button size="md" data-autofocus onClick={onNext}>
            Next
          </Button>
        </StepFoot>
      }
    >
      <div className="onb-body">
        <p className="cp-subject">Thank you for choosing us, {profile.fullName.split(' ')[0]}.</p>
        <p>
          Before {profile.organizationName ?? 'your organization'} can exchange documents, it has to be activated. Activation means two
          things:
        </p>
        <ul>
          <li>We verify your identity, so that others can trust your messages.</li>
          <li>Your subdomain, {profile.domain}, is submitted to the national provider address book, so that others can find you.</li>
        </ul>
        <p className="cp-second">The first part takes a few minutes. You can sign out at any time and continue later.</p>
      </div>
    </Dialog>
  );
}

export function VerificationDialog({ onNext, busy }: Props) {
  return (
    <Dialog
      opened
      locked
      onClose={() => {}}
      title="Verify your identity"
      size={560}
      footer={
        <StepFoot step={3}>
          <Button size="md" data-autofocus onClick={onNext} loading={busy}>
            Next
          </Button>
        </StepFoot>
      }
    >
      <div className="onb-body">
        <p>
          The Health Insurance Portability and Accountability Act (HIPAA) asks everybody who exchanges protected health information to make
          sure who is at the other end. That is why the person who represents an organization is identified before it gets its Direct
          addresses.
        </p>
        <p>
          What you enter is used to verify your identity and for nothing else. Your social security number, if you give it, is not kept.
        </p>
        <p className="cp-second">Please have your home address and a photo ID at hand.</p>
      </div>
    </Dialog>
  );
}

import { UnstyledButton } from '@mantine/core';
import { IconBulb } from '@tabler/icons-react';
import type { ProposalBecause } from '@/api/types';
import { reason } from './useProposals';

type Props = {
  what: string;
  name: string /** Such as: were filed as that. */;
  ending: string;
  because: ProposalBecause;
  disabled?: boolean;
  onTake: () => void;
};

/** The frequent choice of staff for similar documents. */
export function Proposal({ what, name, ending, because, disabled, onTake }: Props) {
  return (
    <div className="cp-row cp-readnote">
      <span className="cp-grow">
        <span className="cp-plain">
          <IconBulb size={15} stroke={1.8} aria-hidden /> <span className="cp-strong">{name}</span>
        </span>
        <span className="cp-muted cp-block">
          because {reason(because)} {ending}
        </span>
      </span>
      <UnstyledButton className="cp-link" aria-label={`${what}: use ${name}`} disabled={disabled} onClick={onTake}>
        Use
      </UnstyledButton>
    </div>
  );
}

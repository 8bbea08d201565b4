import { Tooltip, UnstyledButton } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import type { ReactNode } from 'react';

/** A mark that explains its label: on hover, focus and touch. */
export const HelpTip = ({ text }: { text: string }) => (
  <Tooltip label={text} multiline maw={320} events={{ hover: true, focus: true, touch: true }}>
    <UnstyledButton aria-label={text} className="cp-info">
      <IconInfoCircle size={16} stroke={1.8} />
    </UnstyledButton>
  </Tooltip>
);

/** A field with a mark at the end of its label's line. It is beside the label, so that it is no part of its name. */
export const WithHelp = ({ text, children }: { text: string; children: ReactNode }) => (
  <div className="cp-withhelp">
    {children}
    <HelpTip text={text} />
  </div>
);

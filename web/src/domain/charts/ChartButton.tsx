import './charts.css';
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ChartConnection } from '@/api/types';
import type { Icon } from '@/shared/ui/states';
import { chartNote } from './useChart';
import { useExternalLogin } from './useExternalLogin';

type Props = {
  connection: ChartConnection;
  icon: Icon;
  /** Runs after a sign-in at the EHR if one is needed. */
  onClick: () => unknown;
  children: ReactNode;
};

/** Begins something in the chart. While the EHR does not answer it is disabled, and says until when. */
export function ChartButton({ connection, icon: IconOf, onClick, children }: Props) {
  const { guard, dialog } = useExternalLogin();
  const note = chartNote(connection);
  return (
    <span className="chart-act">
      <Button
        variant="default"
        disabled={Boolean(note)}
        leftSection={<IconOf size={16} stroke={1.6} aria-hidden />}
        onClick={() => void guard(connection, onClick)}
      >
        {children}
      </Button>
      {note && (
        <span className="cp-second" role="status">
          {note}
        </span>
      )}
      {dialog}
    </span>
  );
}

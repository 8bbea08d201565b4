import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { paths } from '@/shared/paths';
import { useGo } from '@/shared/ui/AppLink';
import { STEPS } from './rules';

/** The foot of a step: the way out at the left, the way on at the right. */
export function StepFoot({ step, left, children }: { step?: number; left?: ReactNode; children: ReactNode }) {
  const go = useGo();
  return (
    <>
      {left ?? (
        <Button size="md" variant="default" onClick={() => go(paths.logout)}>
          Sign out
        </Button>
      )}
      <div className="cp-grow" />
      {step && (
        <span className="cp-muted cp-num onb-step">
          Step {step} of {STEPS}
        </span>
      )}
      {children}
    </>
  );
}

import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { paths } from '@/shared/paths';
import { useGo } from '@/shared/ui/AppLink';
import { STEPS } from './rules';

type FootProps = {
  step?: number;
  /** Instead of "Sign out". */
  left?: ReactNode;
  beside?: ReactNode;
  children: ReactNode;
};

/** The footer of a step: leaving at the left, continuing at the right. */
export function StepFoot({ step, left, beside, children }: FootProps) {
  const go = useGo();
  return (
    <>
      {left ?? (
        <Button size="md" variant="default" onClick={() => go(paths.logout)}>
          Sign out
        </Button>
      )}
      {beside}
      <div className="onb-on">
        {step && (
          <span className="cp-muted cp-num onb-step">
            Step {step} of {STEPS}
          </span>
        )}
        {children}
      </div>
    </>
  );
}

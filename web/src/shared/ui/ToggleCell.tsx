import { Switch } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { reportFailure } from '../errors';
import { useChoice } from '../useChoice';

type Props = {
  /** The switched property, with the name of its row: `Offered in Intake: Consultation`. */
  label: string;
  checked: boolean;
  /** Saves, and reloads the list before it resolves. */
  onToggle: (checked: boolean) => Promise<unknown>;
  /** Shown when it fails and the server gives no reason. */
  failed: string;
  disabled?: boolean;
  /** Labels beside the switch when it is on and off. */
  words?: { on: string; off: string };
};

/** A switch in a table. It flips at once and snaps back if the server refuses. */
export function ToggleCell({ label, checked, onToggle, failed, disabled, words }: Props) {
  const change = useMutation({
    mutationFn: onToggle,
    meta: { ownErrors: true },
    onError: (error) => reportFailure(error, failed, { serverFirst: true }),
  });
  const { shown, isSaving, choose } = useChoice(checked, change);
  return (
    <Switch
      aria-label={label}
      checked={shown}
      aria-busy={isSaving}
      disabled={disabled}
      label={words && (shown ? words.on : words.off)}
      onChange={(e) => !isSaving && choose(e.currentTarget.checked)}
    />
  );
}
